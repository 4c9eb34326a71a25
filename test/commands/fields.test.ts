/** --fields: which fields a command has is known before anything is sent or written. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { machine } from '../helpers/machine.ts';
import { expectExit, type HostOptions, run } from '../helpers/test-host.ts';

const COMMANDS = [
  'permissions list',
  'formula validate FOLDER',
  'formula test FOLDER --pass-with-no-tests',
  'formula run FOLDER',
  'formula create FOLDER --dry-run --allow-duplicate',
  'formula create FOLDER',
  'formula get NAME',
  'formula update NAME FOLDER --dry-run',
  'formula update NAME FOLDER',
  'formula diff FOLDER',
  'formula push FOLDER --dry-run',
  'formula push FOLDER',
  'formula pull NAME --dir PULLED',
  'formula edit FOLDER --set description=x',
  'formula link FOLDER ID --force',
  'formula unlink FOLDER',
  'formula delete ID --yes',
  'formula history',
  'formula restore ENTRY --yes',
  'service application create --name n --type management --permission reactor:read',
  'service application list',
  'auth status',
  'doctor',
];

const WITH_OPEN_FIELDS = ['formula get NAME'];

interface Item {
  id?: string;
  entry?: string;
}

const toItems = (out: string): Item[] => {
  if (out === '') return [];
  const value = JSON.parse(out);
  return Array.isArray(value) ? value : value.schema_version ? value.items : [value];
};

describe('an unknown field', () => {
  it.each(COMMANDS.filter((line) => !WITH_OPEN_FIELDS.includes(line)))(
    'is rejected by %s before anything is sent',
    async (line) => {
      const service = await loopback((_, response) => json(response, 200, { data: [] }));
      const cwd = folderWith(inFolder('FOLDER', cardFiles()));
      const env = { ...service.env, FORMULARY_LOCAL_DATA: join(cwd, 'local.db') };
      expectExit(await run([...line.split(' '), '--fields', 'nope'], { cwd, env }), 2, 'unknown field "nope"', '');
      expect(service.requests).toEqual([]);
      expect(readdirSync(cwd)).toEqual(['FOLDER']);
    },
  );
});

/** The fields that the error about an unknown one lists. */
async function readKnownFields(words: readonly string[], hostOptions: HostOptions): Promise<string[]> {
  const { err } = await run([...words, '--fields', 'nope'], hostOptions);
  return /Available fields: (.*)/.exec(err)?.[1]?.split(', ') ?? [];
}

const findUndeclared = (line: string, items: readonly Item[], known: readonly string[]) =>
  items.flatMap(Object.keys).flatMap((field) => (known.includes(field) ? [] : [`${line}: ${field}`]));

describe('the known fields', () => {
  it('are those of the items, for every command', async () => {
    const { cwd, env } = machine({ cwd: folderWith(inFolder('FOLDER', cardFiles())) });
    const found = { NAME: 'Tokenize a card', ID: '', ENTRY: '' };
    const undeclared: string[] = [];
    for (const line of COMMANDS) {
      const words = line.split(' ').map((word) => (word in found ? found[word as keyof typeof found] : word));
      const items = toItems((await run([...words, '--json'], { cwd, env })).out);
      found.ID = items[0]?.id ?? found.ID;
      found.ENTRY = items[0]?.entry ?? found.ENTRY;
      const known = await readKnownFields(words, { cwd, env });
      undeclared.push(...findUndeclared(line, items, known));
    }
    expect(undeclared).toEqual([]);
  });
});
