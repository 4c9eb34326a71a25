/** The examples are legal, and do what their own cases say, on Node.js 16. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { starterFiles } from '../src/folder/starter.ts';
import { folderWith } from './helpers/folders.ts';
import { run } from './helpers/test-host.ts';
import { node16 } from './node16/setup.ts';

const EXAMPLES = join(import.meta.dirname, '../formulas-example');
const NAMES = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

interface Case {
  name: string;
  args: object;
  configuration: object;
  expect: { raw?: unknown; tokenize?: unknown; error?: { message?: string; status?: number } };
}

/** Runs the code of a folder with one case on the given Node.js, and gives its response or error. */
function respond(
  folder: string,
  { args, configuration }: Case,
): { response?: unknown; error?: { message: string; status?: number } } {
  const script = `require(process.argv[1])(JSON.parse(process.argv[2])).then((response) => ({ response }), ({ message, status }) => ({ error: { message, status } }))
    .then((ended) => process.stdout.write(JSON.stringify(ended)));`;
  const out = execFileSync(
    node16 ?? process.execPath,
    ['-e', script, join(folder, 'code.js'), JSON.stringify({ args, configuration })],
    { encoding: 'utf8', env: {} },
  );
  return JSON.parse(out);
}

function casesOf(folder: string): Case[] {
  const files = readdirSync(join(folder, 'tests'));
  return files.flatMap((file) => JSON.parse(readFileSync(join(folder, 'tests', file), 'utf8')) as Case[]);
}

function expectCases(folder: string): void {
  const cases = casesOf(folder);
  expect(cases.length).toBeGreaterThan(1);
  for (const example of cases) {
    const { response, error } = respond(folder, example);
    if (example.expect.error) {
      const { message = '', ...rest } = example.expect.error;
      expect(error).toMatchObject({ message: expect.stringContaining(message), ...rest });
    } else {
      expect({ case: example.name, error, response }).toEqual({
        case: example.name,
        error: undefined,
        response: example.expect,
      });
    }
  }
}

describe.each(NAMES)('the example %s', (name) => {
  it('validates without a finding, but for the note on an argument that is not declared on purpose', async () => {
    const { code, out } = await run(['formula', 'validate', join(EXAMPLES, name), '--json']);
    expect(code).toBe(0);
    const rules = JSON.parse(out).items[0].findings.map(({ rule }: { rule: string }) => rule);
    expect(rules).toEqual(name === 'sign-payload' ? ['argument-undeclared'] : []);
  });

  it('does what its cases say', () => {
    expectCases(join(EXAMPLES, name));
  });
});

describe('what init writes', () => {
  it('does what its cases say', () => {
    expectCases(folderWith(starterFiles('New', 'New')));
  });
});
