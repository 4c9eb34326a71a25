/** Requests to the server, with the token from the fragment of the URL. */
import type { FormulaList, ListedFormula, ListedTest, RunBody, TestRequest } from '../wire.ts';

const fragment = new URLSearchParams(location.hash.slice(1));
const token = fragment.get('token') ?? '';

/** The formula in the URL. */
export const initialFormula = fragment.get('formula');

/** Stores the formula in the URL, so that a reload shows it again. */
export function rememberFormula(id: string): void {
  history.replaceState(null, '', `#${new URLSearchParams({ token, formula: id })}`);
}

/** The server refused the token. */
export class TokenError extends Error {}

export interface Reply<T> {
  status: number;
  body: T;
}

async function request<T>(path: string, init: RequestInit): Promise<Reply<T>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(path, { ...init, headers });
  if (response.status === 401) throw new TokenError();
  return { status: response.status, body: (await response.json()) as T };
}

const post = <T>(path: string, body: unknown, signal?: AbortSignal) =>
  request<T>(path, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) });

/** Resolves when the version of the list differs from `version`. */
export const fetchFormulas = (version: number) => request<FormulaList>(`/formulas?after=${version}`, {});

export interface RunInput {
  args: unknown;
  configuration: unknown;
  test?: { file: string; index: number } | undefined;
}

export const runFormula = ({ endpoint }: ListedFormula, input: RunInput, signal: AbortSignal) =>
  post<RunBody>(`${endpoint}?details`, input, signal);

export const fetchTest = ({ endpoint }: ListedFormula, { file, index }: ListedTest) =>
  request<TestRequest>(`${endpoint}/tests?${new URLSearchParams({ file, index: String(index) })}`, {});

export const saveAsTest = ({ endpoint }: ListedFormula, name: string, run: string) =>
  post<{ file?: string; passes?: boolean; message?: string; warning?: string }>(`${endpoint}/tests`, { name, run });
