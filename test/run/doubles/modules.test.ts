import { describe, expect, it } from 'vitest';
import { BARE, cardFiles, folderWith } from '../../helpers/folders.ts';
import { runTest } from '../../helpers/one-test.ts';
import { run } from '../../helpers/test-host.ts';

const OCR = `const { recognize } = require('tesseract.js');
module.exports = async () => ({ raw: { text: await recognize('x') } });`;
const DOUBLE = { 'tests/tesseract.js': "module.exports = { recognize: async (image) => 'read ' + image };" };
const doubles = { modules: { 'tesseract.js': './tests/tesseract.js' } };

describe('a double of a module', () => {
  it('is the module that the code requires', async () => {
    const test = { doubles, expect: { raw: { text: 'read x' } } };
    expect(await runTest(OCR, test, { files: DOUBLE })).toMatchObject({ exit: 0, item: { outcome: 'passed' } });
  });

  it.each<[string, string, object, Record<string, string>, string]>([
    ['its file is missing', OCR, doubles, {}, './tests/tesseract.js is not a file of the formula'],
    [
      'its file is elsewhere',
      OCR,
      { modules: { 'tesseract.js': './../x.js' } },
      { '../x.js': '' },
      './../x.js is not a file of the formula',
    ],
    ['nothing loads it', 'module.exports = async () => ({ raw: {} });', doubles, DOUBLE, 'was not loaded'],
  ])('fails the test if %s', async (_, code, given, files, text) => {
    const { exit, message } = await runTest(code, { doubles: given, expect: { raw: {} } }, { files });
    expect(exit).toBe(1);
    expect(message).toContain(text);
  });

  it('fails the test if the module is in the bundle', async () => {
    const cwd = folderWith({
      'card/manifest.json': '{"name":"Card","type":"private","configuration":[],"request_parameters":[]}',
      'card/code.ts': "import value from 'sum';\nexport default async () => ({ raw: { value } });\n",
      'card/node_modules/sum/package.json': '{"name":"sum","version":"1.0.0","main":"index.js"}',
      'card/node_modules/sum/index.js': 'module.exports = 1;',
      'card/tests/sum.js': 'module.exports = 2;',
      'card/tests/a.json': '{"doubles":{"modules":{"sum":"./tests/sum.js"}},"expect":{"raw":{"value":2}}}',
    });
    const { code, out } = await run(['formula', 'test', 'card', '--json'], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(out).items[0].error.message).toBe(
      'doubles.modules: sum is in the bundle, and cannot have a double',
    );
  });

  it('cannot replace a module of Node.js', async () => {
    const test = { doubles: { modules: { fs: './tests/fs.js' } }, expect: {} };
    const { exit, item } = await runTest(OCR, test);
    expect(exit).toBe(3);
    expect(item.findings[0].message).toBe('fs is a module of Node.js, which cannot have a double');
  });
});

describe('the package of error classes', () => {
  const HELPER = '@basis-theory/basis-theory-reactor-formulas-sdk-js';

  it.each<[string, string, object]>([
    ['AuthenticationError', '', { status: 401 }],
    ['AuthorizationError', '', { status: 403 }],
    ['BadRequestError', "'no card'", { status: 400, errors: { error: ['no card'] } }],
    ['InvalidPaymentMethodError', "['a', 1]", { status: 402, errors: { error: ['a', '1'] } }],
    ['InvalidReactorConfigurationError', "{ KEY: 'is invalid' }", { status: 400, errors: { KEY: ['is invalid'] } }],
    ['RateLimitError', "new Error('slow')", { status: 429, errors: { error: ['slow'] } }],
    ['ReactorRuntimeError', '', { status: 500 }],
    ['ServiceUnavailableError', '', { status: 503 }],
  ])('has %s if it is not installed', async (name, argument, facts) => {
    const code = `const helpers = require('${HELPER}');
      module.exports = async () => {
        const error = new helpers.${name}(${argument});
        const is = error instanceof Error && error instanceof helpers.BasisTheoryReactorError;
        const { detail, ...facts } = error.toRFC7807();
        return { raw: { is, name: error.name, type: helpers.${name}.name, isDetail: detail === error.message, facts } };
      };`;
    const raw = { is: true, name, type: name, isDetail: true, facts };
    expect(await runTest(code, { expect: { raw } })).toMatchObject({ exit: 0 });
  });

  it('has an error with a response of its own', async () => {
    const code = `const { CustomHttpResponseError: Custom } = require('${HELPER}');
      module.exports = async () => {
        try { new Custom({ status: 99 }); } catch { return { raw: new Custom({ status: 418, headers: { a: 'b' }, body: { c: 1 } }).toResponseBody() }; }
      };`;
    const raw = { status: 418, headers: { a: 'b' }, body: { c: 1 } };
    expect(await runTest(code, { expect: { raw } })).toMatchObject({ exit: 0 });
  });

  it('is reported as a substitute with --verbose, and not used if the package is installed', async () => {
    const code = `const { BadRequestError } = require('${HELPER}');\nmodule.exports = async () => ({ raw: { name: BadRequestError.name } });`;
    const files = cardFiles(BARE, { 'code.js': code, [`node_modules/${HELPER}/index.js`]: '' });
    const { [`node_modules/${HELPER}/index.js`]: _, ...missing } = files as Record<string, string>;
    const standIn = await run(['formula', 'run', '.', '--verbose'], { cwd: folderWith(missing) });
    expect(standIn.err).toContain(`note: ${HELPER} is not installed; its error classes are replaced by a stand-in\n`);
    const installed = { ...files, [`node_modules/${HELPER}/index.js`]: 'exports.BadRequestError = class Own {};' };
    const { out, err } = await run(['formula', 'run', '.', '--verbose'], { cwd: folderWith(installed) });
    expect(JSON.parse(out)).toEqual({ raw: { name: 'Own' } });
    expect(err).not.toContain('stand-in');
  });
});
