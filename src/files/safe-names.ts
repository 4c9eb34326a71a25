/** Folder names for formulas: portable, distinct on case-insensitive file systems, and deterministic. */
import { groupBy } from '../text/group-by.ts';
import { sha256 } from '../text/hash.ts';

/** Leaves room for a suffix, and for file systems that decompose letters. */
const MAX_BYTES = 100;

/** Device names, which Windows reserves in every folder, in any letter case and with any extension. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)$/;

/** Characters that Windows does not allow in names. */
const FORBIDDEN = /[<>:"|?*\\\p{Cc}]/u;

/** Hash digits that are added to colliding names; more if they still collide. */
const HASH_DIGITS = [0, 8, 16, 64];

/**
 * A folder name for each formula, by id, independent of the order of the formulas. If a file system may treat names as
 * equal, each gets a part of the hash of its id. `takenNames` are already in use.
 */
export function assignFolderNames(
  formulas: readonly { id: string; name: string }[],
  takenNames: readonly string[] = [],
): Map<string, string> {
  const levels = new Map(formulas.map(({ id }) => [id, 0]));
  const formatName = ({ id, name }: { id: string; name: string }) =>
    addHashSuffix(toSlug(name), id, HASH_DIGITS[levels.get(id) ?? 0]);
  const taken = new Set(takenNames.map(foldName));
  for (;;) {
    const byName = groupBy(formulas, (formula) => foldName(formatName(formula)));
    const colliding = [...byName].flatMap(([name, same]) => (same.length > 1 || taken.has(name) ? same : []));
    const changeable = colliding.filter(({ id }) => (levels.get(id) ?? 0) < HASH_DIGITS.length - 1);
    if (changeable.length === 0) return new Map(formulas.map((formula) => [formula.id, formatName(formula)]));
    for (const { id } of changeable) levels.set(id, (levels.get(id) ?? 0) + 1);
  }
}

/** The letters and digits of a name, in any script, in lower case and separated by hyphens. */
export function toSlug(name: string): string {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^[-\p{M}]+/u, '');
  const short = truncateToBytes(words, MAX_BYTES).normalize('NFC').replace(/-+$/, '');
  if (short === '') return 'formula';
  return isDeviceName(short) ? `${short}-formula` : short;
}

/** Why a folder name is not allowed on every system; undefined if it is. */
export function findFolderNameProblem(name: string): string | undefined {
  if (isDeviceName(name)) return 'it is a device name on Windows';
  const [character] = FORBIDDEN.exec(name) ?? [];
  if (character !== undefined) return `${JSON.stringify(character)} is not allowed in names on Windows`;
  return /[. ]$/.test(name) ? 'Windows removes dots and spaces at the end of a name' : undefined;
}

const isDeviceName = (name: string) => WINDOWS_DEVICE.test(foldName(name.replace(/\..*$/s, '').trimEnd()));

/** The same for all names that a case-insensitive or normalizing file system may treat as equal. */
export const foldName = (name: string): string => name.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD');

function addHashSuffix(name: string, id: string, digits = 0): string {
  return digits === 0 ? name : `${name}-${sha256(id).toString('hex').slice(0, digits)}`;
}

/** Truncates between characters. */
function truncateToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let length = 0;
  const fitting = [...text].filter((character) => {
    length += Buffer.byteLength(character);
    return length <= bytes;
  });
  return fitting.join('');
}
