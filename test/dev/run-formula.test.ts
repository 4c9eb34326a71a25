/** Runs of the workbench that do not end by themselves. */
import { describe, expect, it } from 'vitest';
import { pickUsedDoubles } from '../../src/dev/chosen-test.ts';
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

  it('that prints endlessly keeps the first 100,000 characters', async () => {
    const { details } = await runCode(
      'module.exports = async (req) => {\n  for (let i = 0; i < 3000; i++) console.log("x".repeat(99));\n  return { raw: req };\n};\n',
      30,
    );
    expect(details.printed.length).toBeLessThan(100_100);
    expect(details.printed).toMatch(/\n… \(truncated\)\n$/);
  });
});

describe('the doubles that a run used', () => {
  it('are those that responded, as often as they did', () => {
    const response = { status: 200 };
    const doubles = {
      modules: { a: 'a.js', b: 'b.js' },
      bt: { 'tokens.create': [{ returns: 1 }, { returns: 2 }], 'tokens.get': [{ returns: 3 }] },
      http: [
        { request: 'GET https://a.example/', response, times: 3 },
        { request: 'GET https://b.example/', response },
        { request: 'GET https://c.example/', response, times: 'any' as const },
      ],
    };
    const calls = [
      { bt: 'tokens.create', with: [], double: 0 },
      { bt: 'tokens.get', with: [] },
      { http: 'GET https://a.example/', double: 0 },
      { http: 'GET https://a.example/', double: 0 },
      { http: 'GET https://c.example/', double: 2 },
    ];
    expect(pickUsedDoubles(doubles, { calls, loaded: ['b'] })).toEqual({
      modules: { b: 'b.js' },
      bt: { 'tokens.create': [{ returns: 1 }], 'tokens.get': [] },
      http: [
        { request: 'GET https://a.example/', response, times: 2 },
        { request: 'GET https://c.example/', response, times: 'any' },
      ],
    });
  });

  it('are none of a test without any', () => {
    expect(pickUsedDoubles({}, { calls: [], loaded: [] })).toEqual({});
  });
});
