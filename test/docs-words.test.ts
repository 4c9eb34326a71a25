/** Commands, flags, and links in the documents exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { listCommandPaths } from '../src/cli/command-table.ts';
import { EXIT_CODES } from '../src/errors.ts';
import { withOutputFlags, withServiceFlags } from '../src/session/flags.ts';
import { cardFiles, folderWith } from './helpers/folders.ts';
import { run } from './helpers/test-host.ts';

const ROOT = join(import.meta.dirname, '..');
const inDocs = readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`);
const DOCS = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...inDocs]
  // Printed from the tool itself.
  .filter((name) => name.endsWith('.md') && name !== 'docs/commands.md');

const text = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The code in a document, one entry per line. */
const codeIn = (file: string) => [
  ...[...text(file).matchAll(/^```\w*\n(.*?)^```/gms)].flatMap(([, block = '']) => block.split('\n')),
  ...[
    ...text(file)
      .replace(/^```.*?^```/gms, '')
      .matchAll(/`([^`]+)`/g),
  ].map(([, span = '']) => span),
];

let flags: Promise<Map<string, Set<string>>> | undefined;

/** The flags of each command, as its help has them. */
function flagsOf() {
  flags ??= helpFlags();
  return flags;
}

/** The flags that the help of a command does not repeat. */
const SHARED_FLAGS = withServiceFlags(withOutputFlags(new Command())).options.flatMap(({ long }) => long ?? []);

async function helpFlags(): Promise<Map<string, Set<string>>> {
  const helps = listCommandPaths().map(async (path): Promise<[string, Set<string>]> => {
    const { out } = await run([...path, '--help']);
    const shared = out.includes('formulary help reference') ? SHARED_FLAGS : [];
    return [path.join(' '), new Set([...(out.match(/(?<=^|[\s,])--?[a-z][a-z-]*/gm) ?? []), ...shared])];
  });
  return new Map(await Promise.all(helps));
}

/** The command and flags that a line of code types, if it types one. */
function typed(line: string, known: ReadonlySet<string>) {
  const words = /(?:^|[\s|;&(])formulary ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)(.*)$/.exec(line);
  if (!words) return undefined;
  const [, path = '', rest = ''] = words;
  const command = [...known].filter((name) => `${path} `.startsWith(`${name} `)).at(-1);
  const flags = (rest.split(/ [|;&#]|→/)[0] ?? '').match(/(?<=\s)--[a-z][a-z-]*/g) ?? [];
  const isNoun = [...known].some((name) => name.startsWith(`${path} `));
  return { command: command ?? path, flags, isKnown: command !== undefined || isNoun || path.startsWith('help') };
}

describe('a command in a document', () => {
  it.each(DOCS)('exists, in %s', async (file) => {
    const known = await flagsOf();
    const lines = codeIn(file).flatMap((line) => typed(line, new Set(known.keys())) ?? []);
    expect(lines.filter(({ isKnown }) => !isKnown)).toEqual([]);
    const strange = lines.flatMap(({ command, flags }) =>
      flags.filter((flag) => known.has(command) && !known.get(command)?.has(flag)).map((flag) => `${command} ${flag}`),
    );
    expect(strange).toEqual([]);
  });
});

describe('the links of a document', () => {
  it.each(DOCS)('point to existing files, in %s', (file) => {
    const links = [...text(file).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link);
    const missing = links.filter((link) => !/^https?:/.test(link)).filter((link) => !isThere(join(file, '..', link)));
    expect(missing).toEqual([]);
  });
});

function isThere(path: string): boolean {
  try {
    readdirSync(join(ROOT, path));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR';
  }
}

describe('docs/troubleshooting.md', () => {
  it('has a section for each exit code', () => {
    const chapters = [...text('docs/troubleshooting.md').matchAll(/^## ((?:\d+(?:, )?)+) (\w+)$/gm)];
    const told = chapters.flatMap(([, codes = '', name = '']) => codes.split(', ').map((code) => [Number(code), name]));
    const all = Object.entries(EXIT_CODES).map(([name, code]) => [code, name]);
    expect(told).toEqual(expect.arrayContaining(all.filter(([code]) => code !== 0)));
  });
});

describe('docs/manifest.md', () => {
  it('shows a manifest and code that are valid', async () => {
    const [manifest = ''] = /(?<=^```json\n)\{.*?(?=^```)/ms.exec(text('docs/manifest.md')) ?? [];
    const [code = ''] = /(?<=^```js\n).*?(?=^```)/ms.exec(text('docs/manifest.md')) ?? [];
    const folder = folderWith({ ...cardFiles(), 'manifest.json': manifest, 'code.js': code });
    expect(await run(['formula', 'validate', folder, '--strict'])).toMatchObject({ code: 0 });
  });
});
