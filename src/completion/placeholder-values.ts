/** What a placeholder of the help stands for, so that completion can offer it. */
import type { Host } from '../host/host.ts';
import type { Candidate } from './candidates.ts';

/** A value of a kind: the shell's own completion of files or folders, words to choose from, or none to offer. */
export type Values = 'files' | 'folders' | 'nothing' | Words | { filesAfter: string };

type Words = (host: Host) => Promise<readonly Candidate[]>;

const plain = (values: readonly string[]) => values.map((value) => ({ value, about: '' }));

const KINDS: Readonly<Record<string, Values>> = {
  dir: 'folders',
  entry: async (host) => {
    const { readHistory } = await import('../state/history.ts');
    return readHistory(host, () => undefined).map(({ entry, operation, name }) => ({
      value: entry,
      about: `${name}, before its ${operation}`,
    }));
  },
  file: 'files',
  format: async () => plain(Object.keys((await import('../output/formats.ts')).FORMATS)),
  id: 'nothing',
  'id|name': 'nothing',
  'id|name|dir': 'folders',
  json: { filesAfter: '@' },
  'junit=file': { filesAfter: 'junit=' },
  name: 'nothing',
  names: 'nothing',
  number: 'nothing',
  'number/s': 'nothing',
  path: 'folders',
  pattern: 'nothing',
  permission: async () => {
    const { PERMISSIONS } = await import('../service/permissions.ts');
    return PERMISSIONS.map(({ type, description }) => ({ value: type, about: description }));
  },
  profile: async (host) => plain((await import('../state/profiles.ts')).profileNames(host)),
  seconds: 'nothing',
  template: async () => {
    const { TEMPLATES } = await import('../templates/all.ts');
    return Object.entries(TEMPLATES).map(([value, { about }]) => ({ value, about }));
  },
  text: 'nothing',
  type: async () => plain((await import('../service/permissions.ts')).APPLICATION_TYPES),
  url: 'nothing',
};

/** The values of a placeholder; undefined for one that is not known. `<official|private>` says its values itself. */
export function valuesOf(placeholder: string): Values | undefined {
  if (Object.hasOwn(KINDS, placeholder)) return KINDS[placeholder];
  return placeholder.includes('|') ? async () => plain(placeholder.split('|')) : undefined;
}
