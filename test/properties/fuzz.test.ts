/** A few inputs of each target of bench/fuzz.mjs, other ones each time; it tries them for hours. */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { choices } from '../../bench/random.mjs';
import * as check from '../../src/check/check-folder.ts';
import * as codeAnalysis from '../../src/code/analysis.ts';
import * as parse from '../../src/code/parse/parse.ts';
import * as formulaFiles from '../../src/folder/formula-files.ts';
import * as icon from '../../src/folder/icon.ts';
import * as lock from '../../src/folder/lockfile.ts';
import * as manifest from '../../src/folder/manifest.ts';
import * as host from '../../src/host/host.ts';
import * as processIdentity from '../../src/host/process-identity.ts';
import * as main from '../../src/main.ts';
import * as frame from '../../src/output/code-frame.ts';
import * as escaping from '../../src/output/escape.ts';
import * as formats from '../../src/output/formats.ts';
import * as style from '../../src/output/style.ts';
import * as table from '../../src/output/table.ts';
import * as diff from '../../src/output/text-diff.ts';
import * as separated from '../../src/output/tsv.ts';
import * as outcomes from '../../src/run/cases/compare-outcome.ts';
import * as tests from '../../src/run/cases/parse-tests.ts';
import * as text from '../../src/text/decode-utf8.ts';
import * as layout from '../../src/text/json-layout.ts';
import * as locatedJson from '../../src/text/json-with-positions.ts';
import { folderWith } from '../helpers/folders.ts';
import { runs } from '../helpers/runs.ts';

const tool = {
  ...{
    ...codeAnalysis,
    ...parse,
    ...formulaFiles,
    ...icon,
    ...layout,
    ...locatedJson,
    ...lock,
    ...manifest,
    ...text,
    ...host,
    ...processIdentity,
    ...main,
  },
  ...{ ...frame, ...escaping, ...formats, ...style, ...separated, ...table, ...diff, ...check, ...tests, ...outcomes },
};

describe('any input at all', () => {
  it.each([
    ['of JSON is read as two other readers do, and everything in it has its true place', 'located-json', 60],
    ['of a manifest results in findings with correct positions, or in its content', 'manifest', 60],
    ['of code is analysed, and refused just when Node.js 16 refuses it', 'code', 40],
    ['of an icon is judged, and a whole one comes back as it was', 'icons', 60],
    ['of a lock is read or refused', 'lock', 60],
    ['of test cases is read or refused, and rewritten in one place alone', 'cases', 60],
    ['of a saved version is skipped, shown, or restored', 'history', 10],
    ['of a profile gives no more of its key than the end', 'profile', 10],
    ['of a response results in a known exit code, without the key', 'answers', 10],
    ['that is printed can be read back, and drives nothing', 'output', 40],
  ])('%s', async (_, target, count) => {
    const { make, start } = await import(`../../bench/fuzz/${target}.mjs`);
    const { check: tryInput, end } = await start({ tool, folder: folderWith() });
    try {
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => tryInput(make(choices(seed, 0)))),
        { numRuns: runs(count) },
      );
    } finally {
      await end?.();
    }
  });
});
