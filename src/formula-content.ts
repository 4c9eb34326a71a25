/** Whether what a folder says and what a service holds are the same content. Pure. */

import type { Formula, FormulaBody, RequestParameter } from './model.ts';
import { sha256 } from './text/hash.ts';

const FIELDS = ['name', 'description', 'type', 'icon', 'code', 'configuration', 'request_parameters'] as const;

/** The fields in which two formulas (or what is sent of one) mean something else; audit fields never count. */
export function changedFields(body: FormulaBody | Formula, remote: FormulaBody | Formula): (keyof FormulaBody)[] {
  return FIELDS.filter(
    (field) => canonicalize(field, body[field]) !== canonicalize(field, toSendableValue(field, remote)),
  );
}

/**
 * The fields of which an answer to a write says something else than was sent. What it leaves out or gives as null says
 * nothing; a type that is not known counts as private, as in `bodyOf`.
 */
export function mismatchedFields(sent: FormulaBody, response: Formula): (keyof FormulaBody)[] {
  const type = response.type === 'official' ? 'official' : 'private';
  return changedFields(sent, { ...response, type }).filter((field) => response[field] != null);
}

/** The same for a create, of the fields that were sent: a service may give a formula others, such as an icon. */
export const mismatchedSentFields = (sent: FormulaBody, response: Formula) =>
  mismatchedFields(sent, response).filter((field) => sent[field] !== undefined);

/** Whether a response to a write leaves out fields that were sent, so that it does not show the formula. */
export const isIncomplete = (sent: FormulaBody, response: Formula): boolean =>
  FIELDS.some((field) => {
    const value = sent[field];
    if (value == null || response[field] === undefined) return value != null;
    return response[field] === null && canonicalize(field, value) !== canonicalize(field, null);
  });

/** A hash of each field that a content has, for comparing many without keeping them. */
export type FieldHashes = Readonly<Partial<Record<keyof FormulaBody, string>>>;

/** The prints of what is said of a formula; what is left out has none. */
export function hashFields(content: FormulaBody | Formula): FieldHashes {
  const specified = FIELDS.filter((field) => content[field] !== undefined);
  return Object.fromEntries(specified.map((field) => [field, printOf(field, content)]));
}

const printOf = (field: keyof FormulaBody, content: FormulaBody | Formula) =>
  hashText(canonicalize(field, content[field]));

/** What is known of a folder's content: all of it, or its prints where there are too many to keep. */
export type BodyOrHashes = { body: FormulaBody; hashes?: undefined } | { body?: undefined; hashes: FieldHashes };

/** Whether a folder says anything of a field. */
export const specifies = ({ body, hashes }: BodyOrHashes, field: keyof FormulaBody): boolean =>
  (body ?? hashes)[field] !== undefined;

/** The fields of which a folder says something else than the service has. What it says nothing of is kept. */
export function fieldsToChange(local: BodyOrHashes, remote: Outlined): (keyof FormulaBody)[] {
  const dropped = remote[OUTLINE];
  const isSame = (field: keyof FormulaBody) => {
    const print = field === 'code' || field === 'icon' ? dropped?.[field] : undefined;
    if (print !== undefined) return (local.body ? printOf(field, local.body) : local.hashes[field]) === print;
    const remoteValue = canonicalize(field, toSendableValue(field, remote));
    return local.body
      ? canonicalize(field, local.body[field]) === remoteValue
      : local.hashes[field] === hashText(remoteValue);
  };
  return FIELDS.filter((field) => specifies(local, field) && !isSame(field));
}

/** A hash of a whole content, in which what is absent is the same as what is empty. It is kept: it must stay the same. */
export const hashContent = (content: FormulaBody | Outlined): string =>
  (OUTLINE in content && content[OUTLINE]?.content) ||
  hashText(JSON.stringify(FIELDS.map((field) => canonicalize(field, content[field]))));

/** A symbol, since a service may return any key. */
const OUTLINE = Symbol('outline');

/** A formula whose code and icon may have been dropped; their hashes, and that of the content, are known then. */
export interface Outlined extends Formula {
  [OUTLINE]?: Readonly<{ code: string; icon: string; content: string; hasIcon: boolean }>;
}

/** A formula without code and icon, thousands of which fit into memory; it compares and hashes like the formula. */
export const outline = (formula: Formula): Outlined => ({
  ...formula,
  code: null,
  icon: null,
  [OUTLINE]: {
    code: printOf('code', formula),
    icon: printOf('icon', formula),
    hasIcon: Boolean(formula.icon),
    content: hashContent({ ...formula, type: normalizeType({ type: formula.type ?? null }) }),
  },
});

/** Whether the service has an icon or a description, also where the icon was dropped. */
export const hasField = (remote: Outlined, field: 'icon' | 'description'): boolean =>
  Boolean(remote[field]) || (field === 'icon' && remote[OUTLINE]?.hasIcon === true);

/** Whether code and icon were dropped. */
export const isOutline = (formula: Outlined): boolean => formula[OUTLINE] !== undefined;

/** A field of what the service has; a type that cannot be sent counts as the one that is sent in its place. */
const toSendableValue = (field: (typeof FIELDS)[number], remote: FormulaBody | Formula) =>
  field === 'type' ? normalizeType(remote) : remote[field];

/** All that is not official is private: services leave the type out, or have more than the two that can be sent. */
export const normalizeType = ({ type }: Pick<Formula, 'type'>): FormulaBody['type'] =>
  type === 'official' ? type : 'private';

/** As UTF-8 all lone surrogates are the same; JSON writes them as escapes. */
const hashText = (text: string) => sha256(text.isWellFormed() ? text : JSON.stringify(text)).toString('base64url');

/** One text for all values that mean the same to the service: absent, null and defaults are equal. */
function canonicalize(field: (typeof FIELDS)[number], value: unknown): string {
  if (field === 'configuration' || field === 'request_parameters') {
    const elements = (value ?? []) as RequestParameter[];
    return JSON.stringify(
      elements.map(({ name, description, type, optional }) => [name, description ?? null, type, optional ?? false]),
    );
  }
  if (field === 'icon' && typeof value === 'string') return canonicalizeIcon(value);
  if (field === 'code' && typeof value === 'string') return value.replace(/^\ufeff+/, '');
  return typeof value === 'string' ? value : '';
}

/** Whether two texts of icons have the same bytes: labels, spaces, and padding of data URLs differ among services. */
export const isSameIcon = (one: string, other: string): boolean => canonicalizeIcon(one) === canonicalizeIcon(other);

/** A data URL with the type that the bytes show; any other text as it is. */
function canonicalizeIcon(text: string): string {
  const comma = text.indexOf(',');
  const [type = '', ...parameters] = text.slice(0, comma).split(';');
  const data = Buffer.from(text.slice(comma + 1), 'base64').toString('base64');
  if (!/^data:/i.test(type) || parameters.at(-1)?.toLowerCase() !== 'base64' || data === '') return text;
  const detected = IMAGES.find(([, start]) => data.startsWith(start))?.[0];
  const declared = type.slice('data:'.length).replace(/^image\/jpg$/i, 'image/jpeg');
  return `data:${detected ?? declared};base64,${data}`;
}

/** How the base64 of an image begins. */
const IMAGES = [
  ['image/png', 'iVBORw0KGgo'],
  ['image/jpeg', '/9j/'],
] as const;

/** What would be sent to make a formula what it is (spec 4.5). What only some services leave out gets its default. */
export function toRequestBody({
  name,
  description,
  type,
  icon,
  code,
  configuration,
  request_parameters,
}: Formula): FormulaBody {
  return {
    name,
    ...(description != null && { description }),
    type: normalizeType({ type: type ?? null }),
    ...(icon && { icon }),
    code: code ?? '',
    configuration: configuration ?? [],
    request_parameters: request_parameters ?? [],
  };
}
