/** Requests to the server, with the token from the fragment of the URL. */
import type { FormulaList, ListedFormula, ListedTest, RunBody, TestRef, TestRequest } from '../wire.ts';

const fragment = new URLSearchParams(location.hash.slice(1));
export const token = fragment.get('token') ?? '';

/** The folder of the formula in the URL. */
export const initialFormula = fragment.get('formula');

/** Stores the formula in the URL, so that a reload shows it again. */
export function rememberFormula(folder: string): void {
  history.replaceState(null, '', `#${new URLSearchParams({ token, formula: folder })}`);
}

/** The server refused the token, or has another one. */
export class TokenError extends Error {}

export interface Reply<T> {
  status: number;
  body: T;
}

/** After a lost connection, another program may listen on the port: it does not get the token. */
let isServerKnown = true;

async function request<T>(path: string, init: RequestInit): Promise<Reply<T>> {
  isServerKnown ||= await proveServer();
  if (!isServerKnown) throw new TokenError();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    isServerKnown = false;
    throw error;
  });
  if (response.status === 401) throw new TokenError();
  return { status: response.status, body: (await response.json()) as T };
}

/** Whether the server has the token. */
async function proveServer(): Promise<boolean> {
  const nonce = crypto.randomUUID();
  const { proof } = (await (await fetch(`/proof?nonce=${nonce}`)).json()) as { proof: string };
  const text = JSON.stringify([nonce, Number(location.port), token]);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return proof === [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const post = (path: string, body: unknown, signal?: AbortSignal) =>
  request<RunBody>(path, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) });

/** Resolves when the version of the list differs from `version`. */
export const fetchFormulas = (version: number) => request<FormulaList>(`/formulas?after=${version}`, {});

export interface RunInput extends Partial<TestRequest> {
  test?: TestRef | undefined;
}

export const runFormula = ({ endpoint }: ListedFormula, input: RunInput, signal?: AbortSignal) =>
  post(`${endpoint}?details`, input, signal);

export const saveAsTest = ({ endpoint }: ListedFormula, name: string, input: RunInput) =>
  post(`${endpoint}/tests`, { name, ...input });

export const fetchTest = ({ endpoint }: ListedFormula, { file, index }: ListedTest) =>
  request<TestRequest>(`${endpoint}/tests?${new URLSearchParams({ file, index: String(index) })}`, {});

export const fetchPublished = ({ endpoint }: ListedFormula) =>
  request<{ text?: string; message?: string; hint?: string }>(`${endpoint}/published`, {});
