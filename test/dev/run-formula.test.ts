/** Runs of the workbench that do not end by themselves. */
import { describe, expect, it } from 'vitest';
import { runFormula } from '../../src/dev/run-formula.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';

const REQUEST = {
  args: { card: { number: '4242' } },
  configuration: { BRANDS: 'visa' },
  doubles: undefined,
  test: undefined,
  isRecorded: false,
};

function runCode(code: string, timeoutSeconds: number, abortSignal = new AbortController().signal) {
  const path = folderWith(cardFiles({}, { 'code.js': code }));
  return runFormula({ displayPath: 'card', path }, REQUEST, {
    nodePath: process.execPath,
    timeoutSeconds,
    bundleContext: { excludedFolders: [] },
    abortSignal,
  });
}

describe('a run', () => {
  it('that exceeds the time limit is a 504, with what it printed', async () => {
    const { status, body, details, saveable } = await runCode(
      'console.log("hi");\nmodule.exports = () => new Promise((done) => setTimeout(done, 3e4));\n',
      0.5,
    );
    expect({ status, saveable, printed: details.printed }).toEqual({
      status: 504,
      saveable: undefined,
      printed: 'hi\n',
    });
    expect(body).toMatchObject({ message: expect.stringContaining('0.5 s') });
  });

  it('ends if the client disconnects', async () => {
    const { status, body } = await runCode(
      'module.exports = () => new Promise((done) => setTimeout(done, 3e4));\n',
      30,
      AbortSignal.timeout(100),
    );
    expect({ status, body }).toMatchObject({ status: 500, body: { message: 'interrupted' } });
  });

  it('that prints endlessly keeps the first 100,000 characters', async () => {
    const { details } = await runCode(
      'module.exports = async (req) => {\n  for (let i = 0; i < 3000; i++) console.log("x".repeat(99));\n  return { raw: req };\n};\n',
      30,
    );
    expect(details.printed.length).toBeLessThan(100_100);
    expect(details.printed).toMatch(/\n… \(truncated\)\n$/);
  });
});
