/** A user's computer with a marked key, a row for every command, and a search for the key in all output and files. */
import { join } from 'node:path';
import { cardFiles, folderWith, writeFiles } from './folders.ts';
import { searchFor, textsBelow } from './marked-key.ts';
import { type HostOptions, run } from './test-host.ts';

export const ID = '33333333-3333-4333-8333-333333333333';
export const OTHER_ID = '44444444-4444-4444-8444-444444444444';

/** A command as it is typed on a computer; `asks`: it sends requests, and takes the flags that go with them. */
interface Row {
  words: string[];
  asks?: boolean;
  hostOptions?: HostOptions;
}

const TESTED = {
  'tests/one.json': JSON.stringify({ args: { card: { number: '4' } }, expect: { partial: true, tokenize: {} } }),
};

/** Every command of the tree by its words; `key` is the one to be hidden. */
export const ROWS: Readonly<Record<string, (key: string) => Row>> = {
  'permissions list': () => ({ words: [], asks: true }),
  'formula init': () => ({ words: ['new-one'] }),
  'formula validate': () => ({ words: ['card', 'keyed', 'broken', '--report', 'junit=validate.xml'] }),
  'formula types': () => ({ words: ['card'] }),
  'formula run': () => ({ words: ['keyed', '--args', '{"card":{"number":"4"}}'] }),
  'formula test': () => ({ words: ['keyed', '--verbose', '--report', 'junit=test.xml'] }),
  'formula dev': () => ({ words: ['keyed'], hostOptions: { stop: Promise.resolve('SIGTERM') } }),
  'formula edit': () => ({ words: ['keyed', '--set', 'description=Other', '--verbose'] }),
  'formula create': () => ({ words: ['card', '--link', '--allow-duplicate'], asks: true }),
  'formula list': () => ({ words: [], asks: true }),
  'formula get': () => ({ words: [ID], asks: true }),
  'formula update': () => ({ words: [ID, 'card', '--force'], asks: true }),
  'formula delete': () => ({ words: [ID, '--yes'], asks: true }),
  'formula diff': () => ({ words: ['card', '--verbose'], asks: true }),
  'formula push': () => ({
    words: ['card', '--force', '--verbose', '--yes', '--prune', '--report', 'junit=push.xml'],
    asks: true,
  }),
  'formula status': () => ({ words: ['card'], asks: true }),
  'formula pull': () => ({ words: ['--dir', 'pulled', '--force'], asks: true }),
  'formula link': () => ({ words: ['card', ID, '--force'], asks: true }),
  'formula unlink': () => ({ words: ['card'] }),
  'formula history': () => ({ words: [] }),
  'formula restore': () => ({ words: ['0123456789', '--yes'], asks: true }),
  'auth login': (key) => ({ words: ['--profile', 'kept'], asks: true, hostOptions: { stdin: key } }),
  'auth logout': () => ({ words: ['--profile', 'kept'] }),
  'auth status': () => ({ words: [], asks: true }),
  'service start': () => ({ words: [], hostOptions: { stop: Promise.resolve('SIGTERM') } }),
  'service application create': () => ({
    words: ['--name', 'Deploy', '--type', 'management', '--permission', 'reactor:read'],
  }),
  'service application list': () => ({ words: [] }),
  doctor: () => ({ words: [], asks: true }),
  completion: () => ({ words: ['bash'] }),
  'service application delete': () => ({ words: [ID, '--yes'] }),
};

export interface KeyComputer {
  /** Runs one command of the table; gives its exit code. */
  command(path: string, ...more: string[]): Promise<number>;
  /** Runs any line; gives its exit code. */
  line(words: readonly string[], hostOptions?: HostOptions): Promise<number>;
  /** Where the key was found, in what was printed and in every file that was written. */
  leaks(): string[];
  /** A folder of the computer: its files are searched. */
  cwd: string;
}

/** A machine of a user whose key is `key`, for a service at `url`. */
export function keyComputer(key: string, url: string, more: Record<string, string> = {}): KeyComputer {
  const home = folderWith();
  const cwd = join(home, 'work');
  writeFiles(join(cwd, 'card'), cardFiles({}, TESTED));
  const places = Object.fromEntries(
    ['CONFIG', 'STATE', 'DATA'].map((name) => [`XDG_${name}_HOME`, join(home, name.toLowerCase())]),
  );
  keepCopy(join(home, 'state'), url);
  // Files of the user contain the key already, and only files of the tool are searched, so these are elsewhere.
  const own: Record<string, string> = {
    keyed: folderWith(keyedFiles(key)),
    broken: folderWith(keyedFiles(key, { type: key })),
  };
  const env = {
    ...places,
    FORMULARY_BASE_URL: url,
    FORMULARY_API_KEY: key,
    FORMULARY_SERVICE_KEY: key,
    FORMULARY_LOCAL_DATA: join(home, 'local.db'),
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(home, 'summary.md'),
    ...more,
  };
  const search = searchFor(key);
  const messages: { place: string; text: string }[] = [];
  const line = async (words: readonly string[], hostOptions: HostOptions = {}) => {
    const typed = words.map((word) => own[word] ?? word);
    const { code, out, err } = await run(typed, { cwd, ...hostOptions, env: { ...env, ...hostOptions.env } });
    const name = words.slice(0, 3).join(' ');
    // Both at once and one after the other: a key that is divided between two writings is still there.
    messages.push({ place: `${name}: stdout`, text: out }, { place: `${name}: stderr`, text: err });
    return code;
  };
  return {
    line,
    cwd,
    command: (path, ...flags) => {
      const row = ROWS[path]?.(key) ?? { words: [] };
      const asking = row.asks ? ['--debug', '--retry-timeout', '1'] : [];
      return line([...path.split(' '), ...row.words, ...asking, ...flags], row.hostOptions);
    },
    leaks: () => {
      const files = textsBelow(home).filter(({ file }) => !file.endsWith('/formulary/profiles/kept.json'));
      return [...messages, ...files.map(({ file, text }) => ({ place: file, text }))].flatMap(({ place, text }) => {
        const [found] = search(text);
        return found === undefined ? [] : [`${place} has it ${found}`];
      });
    },
  };
}

/** A formula that holds the key wherever a user could have put it, prints it, and fails with it. */
function keyedFiles(key: string, more: object = {}) {
  const text = JSON.stringify(key);
  const code = `const key = ${text};
module.exports = async (req) => {
  console.log(key, encodeURIComponent(key));
  console.error({ key });
  throw Object.assign(new Error(\`not for \${key}\`), { key });
};
`;
  return cardFiles(
    {
      name: `For ${key}`,
      description: key,
      configuration: [{ name: key.replaceAll('.', ''), type: 'string' }],
      [key]: key,
      ...more,
    },
    { 'code.js': code, 'tests/one.json': JSON.stringify({ name: key, expect: { raw: key } }) },
  );
}

function keepCopy(state: string, target: string): void {
  const entry = '0123456789';
  const formula = { id: ID, name: 'Tokenize a card', type: 'private', code: 'module.exports = 1;' };
  const at = '2026-01-01T00:00:00.000Z';
  const version = { entry, at, operation: 'update', target, id: ID, name: formula.name, formula };
  writeFiles(join(state, 'formulary/history'), { [`${entry}.json`]: JSON.stringify(version) });
}
