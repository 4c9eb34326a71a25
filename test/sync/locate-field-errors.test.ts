/** What the service refuses of a folder is shown at the lines of its files. */
import { describe, expect, it } from 'vitest';
import { parseFieldLocation } from '../../src/sync/locate-field-errors.ts';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { run } from '../helpers/test-host.ts';

const ID = '33333333-3333-4333-8333-333333333333';
const ERRORS = {
  'request_parameters[0].type': ['Unknown type.'],
  '$.Name': ['Is taken.'],
  code: ['Is too long.'],
  tenant: ['Is blocked.'],
};

async function hostOptions() {
  const { url } = await loopback(({ method, url: path }, response) => {
    if (method !== 'GET')
      return json(response, 400, { title: 'Validation failed', status: 400, traceId: 'trace-1', errors: ERRORS });
    const formula = { id: ID, name: 'Other', type: 'private' };
    json(response, 200, path.includes(ID) ? formula : { data: [formula] });
  });
  const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_marked_secret', XDG_STATE_HOME: folderWith() };
  return { cwd: folderWith(inFolder('card', cardFiles())), env };
}

const COMMANDS = [
  ['formula', 'create', 'card'],
  ['formula', 'update', ID, 'card'],
];

describe('fields that the service rejects', () => {
  it.each(COMMANDS)('are reported with their lines by %s %s', async (...words) => {
    const { code, out, err } = await run(words, await hostOptions());
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('returned 400: Validation failed\n');
    expect(err).toContain('\n  card/manifest.json:14:15 request_parameters[0].type: Unknown type.\n');
    expect(err).toContain('\n  card/manifest.json:2:11 $.Name: Is taken.\n');
    expect(err).toContain('\n  card/code.js code: Is too long.\n');
    expect(err).toContain('\n  tenant: Is blocked.\n');
  });

  it.each(COMMANDS)('are shown with source lines on a terminal by %s %s', async (...words) => {
    const { err } = await run(words, { ...(await hostOptions()), columns: 80 });
    expect(err).toContain('> 2 |   "name": "Tokenize a card",\n    |           ^\n');
  });

  it.each(COMMANDS)('are details of the error document of %s %s', async (...words) => {
    const { err } = await run([...words, '--json'], { ...(await hostOptions()), columns: 80 });
    const { error } = JSON.parse(err.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'failed', status: 400, request_id: 'trace-1' });
    expect(error.details.errors[0]).toEqual({
      field: 'request_parameters[0].type',
      message: 'Unknown type.',
      file: 'manifest.json',
      line: 14,
      column: 15,
    });
    expect(error.details.errors[3]).toEqual({ field: 'tenant', message: 'Is blocked.' });
    expect(error.message).not.toContain(' | ');
  });

  it('are reported with their lines by push', async () => {
    const { code, out } = await run(['formula', 'push', 'card', '--yes', '--json'], await hostOptions());
    expect(code).toBe(1);
    expect(JSON.parse(out).items[0].error.details.errors[1]).toMatchObject({ file: 'manifest.json', line: 2 });
  });
});

describe('a field path of a service', () => {
  it.each<[string, (string | number)[]]>([
    ['name', ['name']],
    ['$.name', ['name']],
    ['#/name', ['name']],
    ['Name', ['name']],
    ['body.name', ['name']],
    ['formula.configuration.0.name', ['configuration', 0, 'name']],
    ['request_parameters[0].type', ['request_parameters', 0, 'type']],
    ['requestParameters.0.type', ['request_parameters', 0, 'type']],
    ['RequestParameters[12].Type', ['request_parameters', 12, 'type']],
    ["$['request_parameters'][1]['optional']", ['request_parameters', 1, 'optional']],
    ['/configuration/0/type', ['configuration', 0, 'type']],
    ['configuration', ['configuration']],
  ])('%s is a path of the manifest', (field, path) => {
    expect(parseFieldLocation(field)).toEqual({ path });
  });

  it.each([
    ['code', 'code'],
    ['$.Icon', 'icon'],
  ])('%s is a file', (field, file) => {
    expect(parseFieldLocation(field)).toEqual({ file });
  });

  it.each(['', 'id', '$', '[0]', 'a.b.name', '__proto__', 'x'.repeat(10_000)])('%j is not in a folder', (field) => {
    expect(parseFieldLocation(field)).toBeUndefined();
  });
});
