import { describe, expect, it } from 'vitest';
import { findValues } from '../../src/completion/placeholder-values.ts';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { expectExit, type HostOptions, run } from '../helpers/test-host.ts';

/** The lines of the reply, without what the words mean. */
async function reply(line: string, shell = 'fish', hostOptions: HostOptions = {}) {
  const { code, out, err } = await run(['completion', shell, '--', ...line.split(' ')], hostOptions);
  expectExit({ code, err }, 0, '');
  const [head = '', ...lines] = out.slice(0, -1).split('\n');
  return { head, words: lines.map((text) => text.split('\t')[0] ?? '') };
}

/** Every command that can be completed. */
async function commandsBelow(path: readonly string[]): Promise<string[][]> {
  const { head, words } = await reply([...path, ''].join(' '));
  const isNoun = head === 'words\t' && words.every((word) => /^[a-z]/.test(word)) && path.at(0) !== 'completion';
  if (!isNoun || words.length === 0) return [[...path]];
  return (await Promise.all(words.map((word) => commandsBelow([...path, word])))).flat();
}

describe('the candidates', () => {
  it.each([
    ['', 'words', ['permissions', 'formula', 'auth', 'service', 'doctor', 'completion', 'help']],
    ['service a', 'words', ['application']],
    ['help e', 'words', ['exit-codes', 'environment']],
    ['help formula pus', 'words', ['push']],
    ['help formula push ', 'words', []],
    ['formula help', 'words', []],
    ['formula pu', 'words', ['push', 'pull']],
    ['formula paint ', 'words', []],
    ['paint ', 'words', []],
    ['formula list --out', 'words', ['--output']],
    ['formula list --json --js', 'words', []],
    ['formula list --output js', 'words', ['json', 'jsonl']],
    ['formula list -o c', 'words', ['csv']],
    ['formula list --output=c', 'words', ['--output=csv']],
    ['formula list --type ', 'words', ['official', 'private']],
    ['formula list --name ', 'nothing', []],
    ['formula list --help', 'words', ['--help']],
    ['formula validate ', 'folders', []],
    ['formula validate one ', 'folders', []],
    ['formula create one --d', 'words', ['--dry-run', '--debug']],
    ['formula create -- --d', 'folders', []],
    ['formula create -- one --d', 'words', []],
    ['formula update some-id ', 'folders', []],
    ['formula get ', 'nothing', []],
    ['formula run one --bt ', 'files', []],
    ['formula run one --args ', 'words', ['@']],
    ['formula validate --report ', 'words', ['junit=']],
    ['permissions list --application-type ex', 'words', ['expiring']],
    ['service application create --type m', 'words', ['management']],
    ['service application create --permission reactor:r', 'words', ['reactor:read']],
    ['service application create --permission reactor:read log', 'words', ['log:read']],
    ['service application create --permission reactor:read --ty', 'words', ['--type']],
    ['completion ', 'words', ['bash', 'zsh', 'fish', 'powershell']],
    ['help r', 'words', ['reference']],
  ])('after %j are %s %j', async (line, kind, words) => {
    expect(await reply(line)).toEqual({ head: `${kind}\t`, words });
  });

  it('offer files after a prefix', async () => {
    expect(await reply('formula validate --report junit=r')).toEqual({ head: 'files\tjunit=', words: [] });
    expect(await reply('formula validate --report=junit=r')).toEqual({ head: 'files\t--report=junit=', words: [] });
    expect(await reply('formula run one --args @a')).toEqual({ head: 'files\t@', words: [] });
  });

  it('are flags if no argument is missing, without flags that were passed', async () => {
    const { words } = await reply('service application list --json ');
    expect(words).toContain('--data');
    expect(words).not.toContain('--json');
  });

  it('include saved profiles, without names that a shell would not read as one word', async () => {
    const files = Object.fromEntries(['prod', 'test', 'a$(b)'].map((name) => [`formulary/profiles/${name}.json`, '']));
    const hostOptions = { env: { XDG_CONFIG_HOME: folderWith(files) } };
    expect((await reply('formula list --profile ', 'fish', hostOptions)).words).toEqual(['prod', 'test']);
  });

  it('are the same for PowerShell, whose last argument begins with =', async () => {
    expect(await reply('formula pu =', 'powershell')).toMatchObject({ head: 'words\t' });
    expect(await reply('formula =pu', 'powershell')).toEqual({ head: 'words\t', words: ['push', 'pull'] });
    expect(await reply('formula list --output=c =', 'powershell')).toMatchObject({ head: 'words\t' });
  });

  it('include history entries', async () => {
    const formula = { id: 'f', name: 'Tokenize\na card', code: '' };
    const command = { run: 'aabbccddee', profile: null, operation: 'delete', target: 't' };
    const entry = { entry: '0123456789', at: '2026-01-01', ...command, ...formula };
    const file = 'formulary/history/0123456789.json';
    const env = { XDG_STATE_HOME: folderWith({ [file]: JSON.stringify({ ...entry, formula }) }) };
    const { out } = await run(['completion', 'fish', '--', 'formula', 'restore', ''], { env });
    expect(out).toBe('words\t\n0123456789\tTokenize\\u000aa card, before its delete\n');
    const runs = await run(['completion', 'fish', '--', 'formula', 'restore', '--run', ''], { env });
    expect(runs.out).toBe('words\t\naabbccddee\t2026-01-01\n');
  });
});

describe('the KEYs of formula edit', () => {
  it('are those of the manifests in the folders on the line, without names that a shell would not read as one word', async () => {
    const configuration = [
      { name: 'BRANDS', type: 'string' },
      { name: 'a$(b)', type: 'string' },
    ];
    const files = inFolder('formulas/a', cardFiles({ configuration }));
    const hostOptions = { cwd: folderWith({ ...files, 'formulas/broken/manifest.json': '{' }) };
    const words = async (line: string) => (await reply(`formula edit ${line}`, 'fish', hostOptions)).words;
    expect(await words('formulas --set des')).toEqual(['description=']);
    expect(await words('formulas --set configuration[')).toEqual([
      'configuration[BRANDS]=',
      'configuration[BRANDS].name=',
      'configuration[BRANDS].description=',
      'configuration[BRANDS].type=',
    ]);
    expect(await words('formulas --unset request_parameters[card.y')).toContain(
      'request_parameters[card.year].optional',
    );
    expect(await words('--set-json ty')).toEqual(['type=']);
    expect(await words('nowhere --set ty')).toEqual(['type=']);
  });
});

describe('the arguments of a shell', () => {
  it.each([
    ['formula list --output = js', ['json', 'jsonl']],
    ['formula list --output =', ['table', 'json', 'jsonl', 'csv']],
    ['formula list --base-url http : //127.0.0.1 --outp', ['--output']],
    ['service application create --permission reactor : r', ['read']],
    ['service application create --permission tenant : member : u', ['update']],
    ['formula list --type "off', ['official']],
    ['formula run one --args @ a --cas', ['--cast']],
  ])('are joined where bash split them: %j', async (line, words) => {
    expect((await reply(line, 'bash')).words).toEqual(words);
  });

  it('are read without the quotes of zsh', async () => {
    expect((await reply(`formula "cre`, 'zsh')).words).toEqual(['create']);
  });
});

describe('every flag and argument', () => {
  it('has a placeholder known to completion', async () => {
    const commands = await commandsBelow([]);
    expect(commands.length).toBeGreaterThan(24);
    for (const command of commands) {
      const { out } = await run([...command, '--help']);
      const [usage = ''] = out.split('\n\n');
      const placeholders = [
        ...[...usage.matchAll(/[<[]([a-z|]+)(?:\.\.\.)?[>\]]/g)].map(([, name = '']) => name),
        ...[...out.matchAll(/^ +(?:-\w, )?--[\w-]+ <([^>]+?)(?:\.\.\.)?>/gm)].map(([, name = '']) => name),
      ].filter((name) => name !== 'options');
      const unknown = placeholders.filter((name) => findValues(name) === undefined);
      expect({ command, unknown }).toEqual({ command, unknown: [] });
    }
  });
});

describe('formulary completion', () => {
  it('names in its help where the shells look for completions', async () => {
    const { out } = await run(['completion', '--help']);
    for (const file of [
      'bash-completion/completions/formulary',
      'site-functions',
      'vendor_completions.d/formulary.fish',
    ])
      expect(out).toContain(file);
  });

  it('rejects an unknown shell, and lists the known ones', async () => {
    expectExit(await run(['completion', 'tcsh']), 2, 'fish', '');
  });
});
