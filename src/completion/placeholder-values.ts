/** The completions of each placeholder in the help. */
import type { Host } from '../host/host.ts';
import type { Candidate } from './candidates.ts';

/** The shell's own completion of files or folders, nothing, or candidates; `filesAfter`: files after one of these prefixes. */
export type PlaceholderValues = 'files' | 'folders' | 'nothing' | LoadCandidates | { filesAfter: readonly string[] };

/** Loads candidates; `words` are the arguments on the line. */
type LoadCandidates = (host: Host, words: readonly string[]) => Promise<readonly Candidate[]>;

const toCandidates = (values: readonly string[]) => values.map((value) => ({ value, description: '' }));

/** The KEYs of the manifests in the folders on the line. */
async function manifestKeys(host: Host, words: readonly string[], end: string): Promise<readonly Candidate[]> {
  const { readKeys } = await import('../edit/read-keys.ts');
  return toCandidates(readKeys(words, host).map((key) => `${key}${end}`));
}

const listEntryCandidates: LoadCandidates = async (host) => {
  const { readHistory } = await import('../state/history-entries.ts');
  return readHistory(host, () => undefined).map(({ entry, operation, name }) => ({
    value: entry,
    description: `${name}, before its ${operation}`,
  }));
};

/** Each command whose versions are saved, with the time of the last one. */
const listRunCandidates: LoadCandidates = async (host) => {
  const { readHistory } = await import('../state/history-entries.ts');
  const runs = new Map(readHistory(host, () => undefined).map(({ run, at }) => [run, at]));
  return [...runs].map(([value, description]) => ({ value, description }));
};

/** Placeholders whose values only the user knows. */
const UNKNOWN = 'command id id|name name names number number/s pattern ref seconds text url'.split(' ');

const PLACEHOLDERS: Readonly<Record<string, PlaceholderValues>> = {
  dir: 'folders',
  entry: listEntryCandidates,
  file: 'files',
  format: async () => toCandidates(Object.keys((await import('../output/formats.ts')).FORMATS)),
  glob: 'folders',
  'entry|name': listEntryCandidates,
  'id|name|dir': 'folders',
  json: { filesAfter: ['@'] },
  key: (host, words) => manifestKeys(host, words, ''),
  'key=json': (host, words) => manifestKeys(host, words, '='),
  'key=value': (host, words) => manifestKeys(host, words, '='),
  'junit=file': { filesAfter: ['junit='] },
  'markdown=file': { filesAfter: ['markdown='] },
  'format=file': { filesAfter: ['junit=', 'markdown='] },
  path: 'folders',
  permission: async () => {
    const { PERMISSIONS } = await import('../service/permissions.ts');
    return PERMISSIONS.map(({ type, description }) => ({ value: type, description }));
  },
  profile: async (host) => toCandidates((await import('../state/profiles.ts')).listProfileNames(host)),
  run: listRunCandidates,
  'remote|ref': async () => toCandidates(['remote']),
  template: async () => {
    const { TEMPLATES } = await import('../templates/templates.ts');
    return Object.entries(TEMPLATES).map(([value, description]) => ({ value, description }));
  },
  type: async () => toCandidates((await import('../service/permissions.ts')).APPLICATION_TYPES),
};

/** The values of a placeholder; undefined if it is unknown. A placeholder such as `<official|private>` lists its values. */
export function findValues(placeholder: string): PlaceholderValues | undefined {
  if (Object.hasOwn(PLACEHOLDERS, placeholder)) return PLACEHOLDERS[placeholder];
  if (UNKNOWN.includes(placeholder)) return 'nothing';
  return placeholder.includes('|') ? async () => toCandidates(placeholder.split('|')) : undefined;
}
