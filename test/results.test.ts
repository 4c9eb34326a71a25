/** The documents of --json follow the schemas that the package ships. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { describe, expect, it } from 'vitest';
import { COMMANDS, findCommand, listCommandPaths } from '../src/cli/command-table.ts';
import { cardFiles, folderWith, inFolder } from './helpers/folders.ts';
import { machine } from './helpers/machine.ts';
import { run } from './helpers/test-host.ts';

const FOLDER = join(import.meta.dirname, '../schema');
const readSchema = (name: string) => JSON.parse(readFileSync(join(FOLDER, `${name}.schema.json`), 'utf8'));

/** The errors of a document by the schema of this name. */
function findErrors(name: string, document: unknown): unknown {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false });
  ajv.addKeyword('errorMessage');
  ajv.validate(readSchema(name), document);
  return ajv.errors ?? [];
}

const TESTS = JSON.stringify([{ name: 'passes', args: {}, expect: { partial: true } }, { expect: { raw: { a: 1 } } }]);

/** A project and its service: one formula is equal, one changed, one new, one invalid. */
async function project() {
  const cwd = folderWith({
    ...inFolder('f/a', { ...cardFiles({ name: 'A', request_parameters: [] }), 'tests/a.json': TESTS }),
    ...inFolder('f/b', cardFiles({ name: 'B' })),
    ...inFolder('g/bad', cardFiles({ name: '', extra: 1 })),
  });
  const { env } = machine({ cwd });
  const formulary = (line: string, stdin = '') => run(line.split(' '), { cwd, env, stdin });
  return { cwd, formulary };
}

describe('a schema', () => {
  it.each(readdirSync(FOLDER).map((file) => file.replace('.schema.json', '')))('%s is valid', (name) => {
    expect(findErrors(name, undefined)).not.toEqual([]);
  });

  it('exists for the result of each command', () => {
    const names = listCommandPaths().flatMap((path) => {
      const node = findCommand(path).node;
      return 'result' in node && node.result ? [node.result] : [];
    });
    for (const name of names) expect(readSchema(name)).toHaveProperty('title');
    expect(Object.keys(COMMANDS).length).toBeGreaterThan(0);
  });
});

describe('the document of --json', () => {
  it('follows the schema of its command', async () => {
    const { formulary } = await project();
    const seen: string[] = [];
    const check = async (line: string, schema?: string) => {
      const { out, err } = await formulary(`${line} --json`);
      const { path, node } = findCommand(line.split(' '));
      const name = schema ?? ('result' in node ? node.result : undefined);
      expect({ line, err: /^[[{]/.test(out) ? '' : err }).toEqual({ line, err: '' });
      const document = JSON.parse(out);
      expect({ line, errors: findErrors(name ?? '', document) }).toEqual({ line, errors: [] });
      seen.push(path.join(' '));
      return document;
    };
    await check('permissions list');
    await check('formula validate f g');
    await check('formula run f/a --configuration {"BRANDS":"x"}');
    await check('formula test f g');
    await check('formula create f/a --dry-run');
    const { id } = await check('formula create f/a');
    await check('formula list');
    await check('formula get A');
    await check('formula diff f');
    await check('formula status f g');
    await check('formula push f --dry-run', 'diff');
    await check('formula test f g --compare remote', 'test-compare');
    await check('formula edit f --set description=x --dry-run');
    await check('formula edit f g --set description=x');
    await check('formula edit f --set description=y');
    await check('formula update f/a --dry-run');
    await check('formula update f/a');
    await check('formula edit f --set-json configuration[NEW]={"type":"string"}');
    expect((await check('formula diff f')).items[0]).toHaveProperty('breaking');
    expect((await check('formula push f')).items[0]).toHaveProperty('breaking');
    await check('formula push f g');
    const [{ entry, run: runId }] = await check('formula history');
    await check(`formula history --show ${entry}`);
    await check(`formula restore ${entry} --yes`);
    await check(`formula restore --run ${runId} --yes`, 'restore-run');
    await check('formula unlink f/a');
    await check(`formula link f/a ${id}`);
    await check('formula pull --dir pulled');
    await check('formula delete B --yes');
    await check('auth status');
    const { id: application } = await check(
      'service application create --name N --type private --permission token:read',
    );
    await check('service application list');
    await check(`service application delete ${application} --yes`);
    await check('doctor');
    await check('help', 'help');
    const printing = listCommandPaths().filter((path) => {
      const { node } = findCommand(path);
      return 'result' in node && node.result;
    });
    // It reads a key from a prompt.
    expect(printing.map((path) => path.join(' ')).filter((name) => !seen.includes(name))).toEqual(['auth login']);
  });

  it('is on an error the last line of stderr, and follows its schema', async () => {
    const { formulary } = await project();
    for (const line of ['formula get nobody', 'formula create g/bad', 'formula diff nowhere', 'formula paint']) {
      const { out, err } = await formulary(`${line} --json`);
      expect(out).toBe('');
      expect(findErrors('error', JSON.parse(err.trimEnd().split('\n').at(-1) ?? ''))).toEqual([]);
    }
  });
});

describe('a file that the tool writes', () => {
  it('follows its schema', async () => {
    const { cwd, formulary } = await project();
    const read = (file: string) => JSON.parse(readFileSync(join(cwd, file), 'utf8'));
    await formulary('formula diff f --out plan.json');
    expect(findErrors('plan', read('plan.json'))).toEqual([]);
    await formulary('formula push f --target production');
    expect(findErrors('lockfile', read('f/formulas.lock.json'))).toEqual([]);
    await formulary('formula init new');
    expect(findErrors('manifest', read('new/manifest.json'))).toEqual([]);
  });

  it('names the schema of manifests, if the package is installed above', async () => {
    const schema = 'node_modules/formulary-cli/schema/manifest.schema.json';
    const cwd = folderWith({ [schema]: '{}' });
    await run(['formula', 'init', 'f/new'], { cwd });
    const manifest = JSON.parse(readFileSync(join(cwd, 'f/new/manifest.json'), 'utf8'));
    expect(manifest.$schema).toBe(`../../${schema}`);
  });
});
