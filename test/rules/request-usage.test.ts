/** What the code reads against what the manifest declares: findings, and the many styles without one. */
import { describe, expect, it } from 'vitest';
import { checkFormula } from '../../src/check/check-folder.ts';
import { readFolder } from '../../src/folder/read.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';

const elements = (names: readonly string[]) => names.map((name) => ({ name, type: 'string' }));

async function findings(code: string, configuration: readonly string[], parameters: readonly string[]) {
  const manifest = { configuration: elements(configuration), request_parameters: elements(parameters) };
  return (await checkFormula(readFolder(folderWith(cardFiles(manifest, { 'code.js': code }))))).findings;
}

/** The findings as `place level rule: the name that it is about`. */
const said = async (code: string, configuration: readonly string[], parameters: readonly string[]) =>
  (await findings(code, configuration, parameters)).map(({ file, line, column, level, rule, message }) => {
    const name = /configuration\.(\w+)|args\.([\w.]+)|"([^"]+)"/.exec(message);
    return `${file}:${line}:${column} ${level} ${rule}: ${name?.[1] ?? name?.[2] ?? name?.[3]}`;
  });

const body = (text: string, parameter = '{ args, configuration }') =>
  `module.exports = async (${parameter}) => {\n  ${text}\n  return { raw: {} };\n};\n`;

describe('a property of the request that no service passes', () => {
  it.each<[string, string, string[]]>([
    [
      'close to args',
      body('return { raw: argz };', '{ argz, configuration }'),
      ['code.js:1:27 warning request-unknown'],
    ],
    ['the beginning of a known one', body('f(req.arg.name);', 'req'), ['code.js:2:5 warning request-unknown']],
    ['the beginning of configuration', body('f(req.config);', 'req'), ['code.js:2:5 warning request-unknown']],
    ['bt in capitals', body('f(req.BT);', 'req'), ['code.js:2:5 warning request-unknown']],
    ['unlike any', body('f(req.tenant);', 'req'), ['code.js:2:5 note request-unknown']],
    [
      'close, where the request is passed on',
      body('f(req.arg); log(req);', 'req'),
      ['code.js:2:5 note request-unknown'],
    ],
    ['read twice', body('f(req.tenant, req.tenant.id);', 'req'), ['code.js:2:5 note request-unknown']],
  ])('is found: %s', async (_, code, expected) => {
    const found = (await findings(code, [], [])).filter(({ rule }) => rule === 'request-unknown');
    expect(found.map(({ file, line, column, level, rule }) => `${file}:${line}:${column} ${level} ${rule}`)).toEqual(
      expected,
    );
  });

  it.each([
    ['known ones', body('f(req.args, req.configuration, req.bt);', 'req')],
    ['one that the code sets first', body('req.user = g(); f(req.user.id);', 'req')],
    ['an in test', body("if ('tenant' in req) f();", 'req')],
    ['what every object has', body('f(req.hasOwnProperty, req.constructor.name);', 'req')],
    ['a method', body("f(req.get('x'));", 'req')],
    ['one of another object', body('f(other.arg);', 'req')],
    ['the rest', body('f(rest);', '{ args, ...rest }')],
  ])('is not found in %s', async (_, code) => {
    expect((await findings(code, [], [])).map(({ rule }) => rule)).not.toContain('request-unknown');
  });
});

describe('an argument close to a declared one', () => {
  it.each<[string, string, string[], string]>([
    ['that is unused: a warning', body('f(args.lod);'), ['loud'], 'warning'],
    ['nested', body('f(args.card.numbr);'), ['card.number'], 'warning'],
    ['that is read too: a note', body('f(args.lod, args.loud);'), ['loud'], 'note'],
    ['where args is passed on: a note', body('f(args.lod); g(args);'), ['loud'], 'note'],
    ['none: a note', body('f(args.color);'), ['loud'], 'note'],
  ])('%s', async (_, code, parameters, level) => {
    const found = (await findings(code, [], parameters)).filter(({ rule }) => rule === 'argument-undeclared');
    expect(found.map((finding) => finding.level)).toEqual([level]);
    expect(found[0]?.message.includes('did you mean')).toBe(level === 'warning');
  });
});

describe('an undeclared name that the code reads', () => {
  it('is found ten thousand times in linear time', async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `SETTING_${i}`);
    const reads = names.map((name) => `f(configuration.READ_${name});`).join('\n');
    expect(await findings(body(reads), names, [])).toHaveLength(20_002);
  });

  it.each<[string, string, string[], string[], string[]]>([
    ['a setting', body('f(configuration.B1);'), ['A1'], [], ['code.js:2:5 warning configuration-undeclared: B1']],
    [
      'a setting where none is declared',
      body('f(configuration.B1);'),
      [],
      [],
      ['code.js:2:5 warning configuration-undeclared: B1'],
    ],
    [
      'a setting taken out',
      body('const { B1 = 1 } = configuration; f(B1);'),
      [],
      [],
      ['code.js:2:11 warning configuration-undeclared: B1'],
    ],
    [
      'a setting with a default',
      body("f(configuration['B1'] || 1);"),
      [],
      [],
      ['code.js:2:5 warning configuration-undeclared: B1'],
    ],
    [
      'a setting that is read twice',
      body('f(configuration.B1); f(configuration.B1);'),
      [],
      [],
      ['code.js:2:5 warning configuration-undeclared: B1'],
    ],
    [
      'two settings',
      body('f(configuration?.B1, configuration.B2);'),
      [],
      [],
      ['code.js:2:5 warning configuration-undeclared: B1', 'code.js:2:24 warning configuration-undeclared: B2'],
    ],
    ['an argument', body('f(args.b1);'), [], ['a1'], ['code.js:2:5 note argument-undeclared: b1']],
    [
      'an argument next to declared ones',
      body('f(args.card.number, args.card.cvc.length);'),
      [],
      ['card.number'],
      ['code.js:2:23 note argument-undeclared: card.cvc'],
    ],
    ['an entry of a list', body('f(args.list[0].id);'), [], ['a1'], ['code.js:2:5 note argument-undeclared: list']],
  ])('is found: %s', async (_, code, configuration, parameters, found) => {
    const all = (await said(code, configuration, parameters)).filter((text) => !text.includes('declared-unused'));
    expect(all).toEqual(found);
  });

  it('proposes the probably intended name', async () => {
    const [finding] = (await findings(body('f(args, configuration.API_KYE);'), ['API_KEY'], [])).filter(
      ({ file }) => file === 'code.js',
    );
    expect(finding).toMatchObject({
      rule: 'configuration-undeclared',
      message: expect.stringContaining('did you mean `API_KEY`?'),
    });
  });

  it.each<[string, string, string[], string[]]>([
    ['any argument where none is declared', body('f(args.b1, args[0], args.length);'), [], []],
    ['settings that are passed on', body('f(configuration);'), [], []],
    ['what every object has', body("configuration.hasOwnProperty('B1'); f(args.constructor.name);"), [], ['a1']],
    ['a setting that the code sets itself', body('configuration.B1 = 1; f(configuration.B1);'), [], []],
    ['settings that the code replaces', body('req.configuration = load(); f(req.configuration.B1);', 'req'), [], []],
    ['a variable that may hold something else', body('let c = configuration; if (x) c = DEFAULTS; f(c.B1);'), [], []],
    ['one of two objects', body('const c = x ? configuration : DEFAULTS; f(c.B1);'), [], []],
    ['a name of another scope', body('{ const configuration = load(); f(configuration.B1); }'), [], []],
    [
      'a wrapped function, which may get something else',
      'module.exports = wrap(async ({ configuration }) => ({ raw: configuration.B1 }));',
      [],
      [],
    ],
    ['a computed name', body(`f(configuration[\`\${x}\`], configuration[x + 'B1']);`), [], []],
    ['a question for a key', body("if ('B1' in configuration) f();"), [], []],
    ['a parameter that is the parent of declared ones', body('f(args.card);'), [], ['card.number']],
    ['what lies below a declared parameter', body('f(args.card.length);'), [], ['card']],
    ['other parts of the request', body('f(req.bt.tokens, req.secrets.B1);', 'req'), [], ['a1']],
  ])('is not reported for %s', async (_, code, configuration, parameters) => {
    expect((await said(code, configuration, parameters)).filter((text) => text.includes('-undeclared'))).toEqual([]);
  });
});

describe('a declared name that is never read', () => {
  it.each<[string, string, string[], string[], string[]]>([
    [
      'a setting',
      body('f(configuration.A1, args.a1);'),
      ['A1', 'A2'],
      ['a1'],
      ['manifest.json:11:15 note declared-unused: A2'],
    ],
    [
      'a parameter',
      body('f(configuration.A1, args.a1);'),
      ['A1'],
      ['a1', 'card.number'],
      ['manifest.json:17:15 note declared-unused: card.number'],
    ],
    [
      'a parameter whose parent is only tested',
      body('if (args.card) f();'),
      [],
      ['card.number'],
      ['manifest.json:8:15 note declared-unused: card.number'],
    ],
    [
      'all, where the function takes nothing',
      'module.exports = async () => ({ raw: {} });',
      ['A1'],
      ['a1'],
      ['manifest.json:7:15 note declared-unused: A1', 'manifest.json:13:15 note declared-unused: a1'],
    ],
  ])('is found: %s', async (_, code, configuration, parameters, found) => {
    expect(await said(code, configuration, parameters)).toEqual(found);
  });

  it.each<[string, string]>([
    ['read below', body('f(args.a1.length, configuration.A1.trim());')],
    ['taken out', body('const { a1 } = args, { A1: key } = configuration; f(a1, key);')],
    ['asked for', body("if ('a1' in args) f(typeof configuration.A1);")],
    ['changed', body('args.a1 += 1; f(configuration.A1);')],
    ['in arguments that are passed on', body('f(args);')],
    ['in settings that are passed on', body('f(configuration);')],
    ['in a request that is passed on', body('f(req);', 'req')],
    ['in arguments that are spread', body('f({ ...args });')],
    ['in a rest element', body('f(rest);', '{ args: { b1, ...rest } }')],
    ['read by a computed name', body('for (const key of keys) f(args[key]);')],
    ['read through arguments', 'module.exports = async function () { return f(arguments[0]); };'],
    ['of code that cannot be told', 'module.exports = wrap(async () => ({}));'],
    ['of code with eval', body("eval('args.a1');")],
    ['of code that does not parse', 'module.exports = async ('],
  ])('is not reported for names that are %s', async (_, code) => {
    expect((await said(code, ['A1'], ['a1'])).filter((text) => text.includes('declared-unused'))).toEqual([]);
  });
});

describe('a manifest with lists that cannot be used', () => {
  it.each([[undefined], ['x'], [{ B1: 'string' }]])(
    'has no finding about the declarations: %j',
    async (configuration) => {
      const files = cardFiles({ configuration }, { 'code.js': body('f(args, configuration.B1);') });
      const rules = (await checkFormula(readFolder(folderWith(files)))).findings.map(({ rule }) => rule);
      expect(rules).toEqual(['manifest-shape']);
    },
  );
});

describe('a setting that another function reads', () => {
  const HANDLER = 'module.exports = async (req) => ({ raw: { k: key(req) } });';

  it.each<[string, string]>([
    ['a helper', `const key = (req) => req.configuration.B1;\n${HANDLER}`],
    ['a function declared below', `${HANDLER}\nfunction key({ configuration }) { return configuration.B1; }`],
    [
      'a helper that is called twice',
      `const key = (r) => r.configuration.B1;\nmodule.exports = async (req) => [key(req), key(req)];`,
    ],
    ['a helper of a helper', `const get = (c) => c.B1;\nconst key = (req) => get(req.configuration);\n${HANDLER}`],
    [
      'the second parameter of a helper',
      `const key = (x, c) => c.B1;\nmodule.exports = async (req) => key(1, req.configuration);`,
    ],
    [
      'a method of an object',
      `const lib = { key(req) { return req.configuration.B1; } };\nmodule.exports = async (req) => lib.key(req);`,
    ],
    [
      'a method of a class',
      'class H { async run({ configuration }) { return configuration.B1; } }\nconst h = new H();\nmodule.exports = (req) => h.run(req);',
    ],
    [
      'a method that another method calls',
      'class H { run(req) { return this.key(req); } key(req) { return req.configuration.B1; } }\nconst h = new H();\nmodule.exports = async (req) => h.run(req);',
    ],
    [
      'a wrapped function',
      'const withRetry = (fn) => async (req) => { try { return await fn(req); } catch { return fn(req); } };\nmodule.exports = withRetry(async (req) => ({ raw: { k: req.configuration.B1 } }));',
    ],
    [
      'a wrapped function with a name',
      'function wrap(fn) { return async function (req) { return fn(req); }; }\nasync function handle({ configuration }) { return configuration.B1; }\nmodule.exports = wrap(handle);',
    ],
  ])('is found in %s', async (_, code) => {
    expect((await said(code, [], [])).map((text) => text.replace(/^\S+ /, ''))).toEqual([
      'warning configuration-undeclared: B1',
    ]);
    expect(await said(code, ['B1', 'B2'], [])).toEqual([expect.stringMatching(/ note declared-unused: B2$/)]);
  });

  it.each<[string, string]>([
    [
      'a helper that gets other objects too',
      `const key = (req) => req.configuration.B1;\nkey({ configuration: { B1: 1 } });\n${HANDLER}`,
    ],
    ['a helper that is passed on', `const key = (req) => req.configuration.B1;\nexport_(key);\n${HANDLER}`],
    ['a helper that is set later', `let key = (req) => req.configuration.B1;\nkey = other;\n${HANDLER}`],
    ['a helper of its own scope', `{ const key = (req) => req.configuration.B1; }\n${HANDLER}`],
    ['arguments', `function key() { return arguments[0].configuration.B1; }\n${HANDLER}`],
    ['a rest parameter', `const key = (...all) => all[0].configuration.B1;\n${HANDLER}`],
    [
      'a spread argument',
      `const key = (x, c) => c.B1;\nmodule.exports = async (req) => key(...req.args, req.configuration);`,
    ],
    [
      'a method that is replaced',
      `const lib = { key(req) { return req.configuration.B1; } };\nlib.key = other;\nmodule.exports = async (req) => lib.key(req);`,
    ],
    [
      'a method of a derived class',
      'class H extends Base { run(req) { return req.configuration.B1; } }\nconst h = new H();\nmodule.exports = async (req) => h.run(req);',
    ],
    [
      'a wrapper of a package',
      "const { wrap } = require('w');\nmodule.exports = wrap(async (req) => req.configuration.B1);",
    ],
    [
      'a wrapper that is used twice',
      'const wrap = (fn) => async (req) => fn(req);\nconst other = wrap((x) => x.configuration.B1);\nmodule.exports = wrap(async () => other({ configuration: { B1: 1 } }));',
    ],
  ])('is not reported for %s', async (_, code) => {
    expect((await said(code, [], [])).filter((text) => text.includes('undeclared'))).toEqual([]);
  });

  it('leaves nothing unused that a function may read in another way', async () => {
    const codes = [
      `function key() { return arguments[0].configuration.B1; }\n${HANDLER}`,
      `const key = (req) => req;\nmodule.exports = async (req) => key(req).configuration.B1;`,
      `const key = (...all) => all[0].configuration.B1;\n${HANDLER}`,
      `class H { constructor(req) { this.req = req; } key() { return this.req.configuration.B1; } }\nmodule.exports = async (req) => new H(req).key();`,
    ];
    for (const code of codes) expect(await said(code, ['B1'], [])).toEqual([]);
  });
});
