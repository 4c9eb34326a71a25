/** Compares the content of formulas, local and remote. Pure. */
import type { Formula, FormulaBody, RequestParameter } from './model.ts';
import { sha256 } from './text/hash.ts';

/** The fields of a formula that a client can write, and what they contain. All other lists of them derive from this one. */
const FIELDS = {
  name: 'text',
  description: 'text',
  type: 'text',
  icon: 'image',
  code: 'code',
  configuration: 'elements',
  request_parameters: 'elements',
} as const satisfies Record<keyof FormulaBody, string>;

type Content = (typeof FIELDS)[keyof FormulaBody];

export const CONTENT_FIELDS = Object.keys(FIELDS) as (keyof FormulaBody)[];

/** The fields that are in the manifest; the others have files of their own. */
export const MANIFEST_FIELDS: readonly string[] = CONTENT_FIELDS.filter((field) =>
  ['text', 'elements'].includes(FIELDS[field]),
);

/** The fields with a value of more than one line; the others are strings too. */
export const isBlockField = (field: string): boolean => isElementsField(field) || getContent(field) === 'code';

export const isElementsField = (field: string): boolean => getContent(field) === 'elements';

const getContent = (field: string): Content | undefined => (FIELDS as Record<string, Content | undefined>)[field];

/** The fields in which two formulas or request bodies differ in meaning; audit fields are ignored. */
export function changedFields(body: FormulaBody | Formula, remote: FormulaBody | Formula): (keyof FormulaBody)[] {
  return CONTENT_FIELDS.filter((field) => {
    const [one, other] = [body[field], toSendableValue(field, remote)];
    return one !== other && canonicalize(field, one) !== canonicalize(field, other);
  });
}

/**
 * The fields in which the response to a write contradicts the request. Absent and null fields are ignored; an unknown
 * type counts as private, as in `toRequestBody`.
 */
export function findMismatchedFields(sent: FormulaBody, response: Formula): (keyof FormulaBody)[] {
  const type = response.type === 'official' ? 'official' : 'private';
  return changedFields(sent, { ...response, type }).filter((field) => response[field] != null);
}

/** The same for a create, limited to the fields of the request: a service may add others, such as an icon. */
export const findMismatchedSentFields = (sent: FormulaBody, response: Formula) =>
  findMismatchedFields(sent, response).filter((field) => sent[field] !== undefined);

/** Whether the response to a write lacks fields that were sent. */
export const isIncomplete = (sent: FormulaBody, response: Formula): boolean =>
  CONTENT_FIELDS.some((field) => {
    const value = sent[field];
    if (value == null || response[field] === undefined) return value != null;
    return response[field] === null && canonicalize(field, value) !== canonicalize(field, null);
  });

/** The fields of a folder that differ from the remote formula. Fields that the folder does not set are preserved. */
export const fieldsToChange = (body: FormulaBody, remote: Formula): (keyof FormulaBody)[] =>
  changedFields(body, remote).filter((field) => body[field] !== undefined);

/** Whether two texts of code are equal but for line endings, which git may convert, and a byte order mark. */
export const isSameCode = (one: string, other: string): boolean => toLines(one) === toLines(other);

const toLines = (code: string) => canonicalize('code', code).replaceAll('\r\n', '\n');

/** A hash of the content; absent and empty fields are equal. It is saved in state files, so it must not change. */
export const hashContent = (content: FormulaBody | Formula): string =>
  hashText(JSON.stringify(CONTENT_FIELDS.map((field) => canonicalize(field, content[field]))));

/** A field of the remote formula; a type that cannot be sent is replaced by the one that is sent instead. */
const toSendableValue = (field: keyof FormulaBody, remote: FormulaBody | Formula) =>
  field === 'type' ? normalizeType(remote) : remote[field];

/** Every type but official is private: services may omit the type, or have types that cannot be sent. */
export const normalizeType = ({ type }: Pick<Formula, 'type'>): FormulaBody['type'] =>
  type === 'official' ? type : 'private';

/** In UTF-8, all unpaired surrogates are equal, so they are hashed as JSON escapes. */
const hashText = (text: string) => sha256(text.isWellFormed() ? text : JSON.stringify(text)).toString('base64url');

/** One string for all values that are equal to the service: absent, null, and default. */
function canonicalize(field: keyof FormulaBody, value: unknown): string {
  if (isElementsField(field)) {
    const elements = (value ?? []) as RequestParameter[];
    return JSON.stringify(
      elements.map(({ name, description, type, optional }) => [name, description ?? null, type, optional ?? false]),
    );
  }
  if (field === 'icon' && typeof value === 'string') return canonicalizeIcon(value);
  if (field === 'code' && typeof value === 'string') return value.replace(/^\ufeff+/, '');
  return typeof value === 'string' ? value : '';
}

/** Whether two data URLs have the same bytes: services differ in media types, spaces, and padding. */
export const isSameIcon = (one: string, other: string): boolean => canonicalizeIcon(one) === canonicalizeIcon(other);

/** The data URL with the type that its bytes have; any other string is returned unchanged. */
function canonicalizeIcon(text: string): string {
  const comma = text.indexOf(',');
  const [type = '', ...parameters] = text.slice(0, comma).split(';');
  const data = Buffer.from(text.slice(comma + 1), 'base64').toString('base64');
  if (!/^data:/i.test(type) || parameters.at(-1)?.toLowerCase() !== 'base64' || data === '') return text;
  const detected = IMAGES.find(([, start]) => data.startsWith(start))?.[0];
  const declared = type.slice('data:'.length).replace(/^image\/jpg$/i, 'image/jpeg');
  return `data:${detected ?? declared};base64,${data}`;
}

/** The first characters of each image format in base64. */
const IMAGES = [
  ['image/png', 'iVBORw0KGgo'],
  ['image/jpeg', '/9j/'],
] as const;

/** The request body that reproduces a formula (spec 4.5). Fields that some services omit get their defaults. */
export function toRequestBody(formula: Formula): FormulaBody {
  const { name, description, icon, code, configuration, request_parameters } = formula;
  return {
    name,
    ...(description != null && { description }),
    type: normalizeType(formula),
    ...(icon && { icon }),
    code: code ?? '',
    configuration: configuration ?? [],
    request_parameters: request_parameters ?? [],
  };
}
