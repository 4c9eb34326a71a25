/** Hints on Windows: commands that cmd.exe and PowerShell parse to the same arguments. */
import { describe, expect, it } from 'vitest';
import { createCommandFormatter } from '../../src/text/shell-quote.ts';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { run } from '../helpers/test-host.ts';

/** The arguments of a program started by cmd.exe (CommandLineToArgvW); `%NAME%` is expanded in any quotes. */
function parseCmd(line: string): string[] {
  const args: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/"((?:[^"\\]|\\(?!")|\\\\(?="(?: |$))|\\")*)"(?= |$)|([^ "]+)/g))
    args.push(quoted === undefined ? (plain ?? '') : quoted.replace(/(\\+)$/, (ends) => ends.slice(ends.length / 2)));
  return args;
}

/** The arguments in PowerShell: nothing is expanded in single quotes; backslashes before a closing quote are doubled. */
function parsePowerShell(line: string): string[] {
  const args: string[] = [];
  for (const [, single, double, plain] of line.matchAll(/'((?:[^']|'')*)'|"([^"]*)"|([^ '"]+)/g)) {
    if (double !== undefined) expect(double).not.toMatch(/[`“”„]|\$[\w({?^$:]/);
    if (plain !== undefined) expect(plain).not.toMatch(/[$`@(){};,&|<>#]/);
    args.push(
      single?.replaceAll("''", "'") ?? double?.replace(/(\\+)$/, (ends) => ends.slice(ends.length / 2)) ?? plain ?? '',
    );
  }
  return args;
}

const WORDS = [
  'card',
  'two words',
  "it's",
  'Füße',
  'a&b',
  '100',
  '5 $',
  'C:\\my formulas\\',
  'https://x.test/?a=1&b=2',
  '@args.json',
  '',
];

describe('a command in a hint on Windows', () => {
  it.each(WORDS)('has the same argument in cmd.exe and PowerShell: %j', (word) => {
    const line = createCommandFormatter('win32')('formula get', word, '--local');
    expect(parseCmd(line)).toEqual(['formulary', 'formula', 'get', word, '--local']);
    expect(parsePowerShell(line)).toEqual(['formulary', 'formula', 'get', word, '--local']);
  });

  it.each(['$HOME', '$(x)', '`x`', 'a “b”', "$it's"])('is for PowerShell where it expands the argument: %j', (word) => {
    const line = createCommandFormatter('win32')('formula get', word);
    expect(parsePowerShell(line)).toEqual(['formulary', 'formula', 'get', word]);
  });
});

describe('the hints of commands on Windows', () => {
  const ID = '0b6e0f8e-8f0c-4f5e-9a52-3b1f7e6f2d11';
  const service = async (name: string, count = 1) =>
    (
      await loopback(({ method, url = '' }, response) => {
        const formulas = Array.from({ length: count }, (_, i) => ({
          ...CARD_MANIFEST,
          id: ID.replace('0', String(i)),
          name,
          code: `${CARD_CODE}// ${i}\n`,
        }));
        if (method === 'DELETE') return json(response, 204, undefined);
        json(response, 200, url.includes(ID) ? formulas[0] : { data: formulas });
      })
    ).url;

  /** The command after `run: ` or `next: `. */
  const commandIn = (err: string) =>
    / (?:run:|next:) (formulary .*)/.exec(` ${err.replaceAll('\n', '\n ')}`)?.[1] ?? '';

  it.each<[string, string, string, number, string[]]>([
    ['a name that several have', 'two words', 'get two%words', 2, ['formula', 'list', '--name', 'two words']],
    ['a folder that does not exist', 'x', 'create C:\\my%formulas\\x', 1, ['formula', 'init', 'C:\\my formulas\\x']],
    ['a name in use', 'Müller & Söhne', 'create a%card', 1, ['formula', 'update', ID, 'a card']],
    ['differences', 'Müller & Söhne', 'diff a%card --no-color', 1, ['formula', 'push', 'a card']],
  ])('%s', async (_, name, words, count, args) => {
    // Windows paths are relative here, so nothing may be written to a state folder.
    const env = { FORMULARY_BASE_URL: await service(name, count), FORMULARY_API_KEY: 'k', XDG_STATE_HOME: '' };
    const cwd = folderWith(inFolder('a card', cardFiles({ name })));
    const argv = words.split(' ').map((word) => word.replaceAll('%', ' '));
    const { err } = await run(['formula', ...argv], { cwd, env, platform: 'win32' });
    const command = commandIn(err);
    expect(parseCmd(command)).toEqual(['formulary', ...args]);
    expect(parsePowerShell(command)).toEqual(['formulary', ...args]);
  });
});
