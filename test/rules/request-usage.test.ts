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

/** The findings as `place level rule: the name that it is about`; settings are declared, and arguments as `args.NAME`. */
async function listFindings(code: string, declared = '') {
  const names = declared.split(' ').filter(Boolean);
  const parameters = names.filter((name) => name.startsWith('args.')).map((name) => name.slice(5));
  const configuration = names.filter((name) => !name.startsWith('args.'));
  return (await findings(code, configuration, parameters)).map(({ file, line, column, level, rule, message }) => {
    const name = /configuration\.(\w+)|args\.([\w.]+)|"([^"]+)"/.exec(message);
    return `${file}:${line}:${column} ${level} ${rule}: ${name?.[1] ?? name?.[2] ?? name?.[3]}`;
  });
}

const body = (text: string, parameter = '{ args, configuration }') =>
  `module.exports = async (${parameter}) => {\n  ${text}\n  return { raw: {} };\n};\n`;

describe('a property of the request that no service passes', () => {
  it.each<[string, string, string]>([
    ['close to args', body('return { raw: argz };', '{ argz, configuration }'), '1:27 warning'],
    ['the beginning of a known one', body('f(req.arg.name);', 'req'), '2:5 warning'],
    ['the beginning of configuration', body('f(req.config);', 'req'), '2:5 warning'],
    ['bt in capitals', body('f(req.BT);', 'req'), '2:5 warning'],
    ['unlike any', body('f(req.tenant);', 'req'), '2:5 note'],
    ['close, where the request is passed on', body('f(req.arg); log(req);', 'req'), '2:5 note'],
    ['read twice', body('f(req.tenant, req.tenant.id);', 'req'), '2:5 note'],
  ])('is found: %s', async (_, code, expected) => {
    const found = (await findings(code, [], [])).filter(({ rule }) => rule === 'request-unknown');
    expect(found.map(({ file, line, column, level }) => `${file} ${line}:${column} ${level}`)).toEqual([
      `code.js ${expected}`,
    ]);
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
  it('is found thousands of times in linear time', async () => {
    const names = Array.from({ length: 2500 }, (_, i) => `SETTING_${i}`);
    const reads = names.map((name) => `f(configuration.READ_${name});`).join('\n');
    expect(await findings(body(reads), names, [])).toHaveLength(5002);
  });

  it.each<[string, string, string, ...string[]]>([
    ['a setting', 'f(configuration.B1);', 'A1', '2:5 warning configuration: B1'],
    ['a setting where none is declared', 'f(configuration.B1);', '', '2:5 warning configuration: B1'],
    ['a setting taken out', 'const { B1 = 1 } = configuration; f(B1);', '', '2:11 warning configuration: B1'],
    ['a setting with a default', "f(configuration['B1'] || 1);", '', '2:5 warning configuration: B1'],
    ['a setting that is read twice', 'f(configuration.B1, configuration.B1);', '', '2:5 warning configuration: B1'],
    [
      'two settings',
      'f(configuration?.B1, configuration.B2);',
      '',
      '2:5 warning configuration: B1',
      '2:24 warning configuration: B2',
    ],
    ['an argument', 'f(args.b1);', 'args.a1', '2:5 note argument: b1'],
    ['one by others', 'f(args.card.number, args.card.cvc.length);', 'args.card.number', '2:23 note argument: card.cvc'],
    ['an entry of a list', 'f(args.list[0].id);', 'args.a1', '2:5 note argument: list'],
  ])('is found: %s', async (_, text, declared, ...found) => {
    const all = (await listFindings(body(text), declared)).filter((one) => !one.includes('declared-unused'));
    expect(all).toEqual(
      found.map((one) => `code.js:${one.replace(':', '\0').replace(':', '-undeclared:').replace('\0', ':')}`),
    );
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

  it.each<[string, string, string]>([
    ['any argument where none is declared', body('f(args.b1, args[0], args.length);'), ''],
    ['settings that are passed on', body('f(configuration);'), ''],
    ['what every object has', body("configuration.hasOwnProperty('B1'); f(args.constructor.name);"), 'args.a1'],
    ['a setting that the code sets itself', body('configuration.B1 = 1; f(configuration.B1);'), ''],
    ['settings that the code replaces', body('req.configuration = load(); f(req.configuration.B1);', 'req'), ''],
    ['a variable that may hold something else', body('let c = configuration; if (x) c = DEFAULTS; f(c.B1);'), ''],
    ['one of two objects', body('const c = x ? configuration : DEFAULTS; f(c.B1);'), ''],
    ['a name of another scope', body('{ const configuration = load(); f(configuration.B1); }'), ''],
    ['a wrapped function', 'module.exports = wrap(async ({ configuration }) => ({ raw: configuration.B1 }));', ''],
    ['a computed name', body(`f(configuration[\`\${x}\`], configuration[x + 'B1']);`), ''],
    ['a question for a key', body("if ('B1' in configuration) f();"), ''],
    ['a parameter that is the parent of declared ones', body('f(args.card);'), 'args.card.number'],
    ['what lies below a declared parameter', body('f(args.card.length);'), 'args.card'],
    ['other parts of the request', body('f(req.bt.tokens, req.secrets.B1);', 'req'), 'args.a1'],
  ])('is not reported for %s', async (_, code, declared) => {
    expect((await listFindings(code, declared)).filter((text) => text.includes('-undeclared'))).toEqual([]);
  });
});

describe('a declared name that is never read', () => {
  it.each<[string, string, string, string[]]>([
    ['a setting', body('f(configuration.A1, args.a1);'), 'A1 A2 args.a1', ['11:15 A2']],
    ['a parameter', body('f(configuration.A1, args.a1);'), 'A1 args.a1 args.card.number', ['17:15 card.number']],
    ['one whose parent is only tested', body('if (args.card) f();'), 'args.card.number', ['8:15 card.number']],
    ['all of no parameter', 'module.exports = async () => ({ raw: {} });', 'A1 args.a1', ['7:15 A1', '13:15 a1']],
  ])('is found: %s', async (_, code, declared, found) => {
    expect(await listFindings(code, declared)).toEqual(
      found.map((one) => `manifest.json:${one.replace(' ', ' note declared-unused: ')}`),
    );
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
    expect((await listFindings(code, 'A1 args.a1')).filter((text) => text.includes('declared-unused'))).toEqual([]);
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
      'a helper, twice',
      `const key = (r) => r.configuration.B1;\nmodule.exports = async (req) => [key(req), key(req)];`,
    ],
    ['a helper of a helper', `const get = (c) => c.B1;\nconst key = (req) => get(req.configuration);\n${HANDLER}`],
    ['a second parameter', `const key = (x, c) => c.B1;\nmodule.exports = async (req) => key(1, req.configuration);`],
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
    expect((await listFindings(code)).map((text) => text.replace(/^\S+ /, ''))).toEqual([
      'warning configuration-undeclared: B1',
    ]);
    expect(await listFindings(code, 'B1 B2')).toEqual([expect.stringMatching(/ note declared-unused: B2$/)]);
  });

  it.each<[string, string]>([
    ['a shared helper', `const key = (req) => req.configuration.B1;\nkey({ configuration: { B1: 1 } });\n${HANDLER}`],
    ['a helper that is passed on', `const key = (req) => req.configuration.B1;\nexport_(key);\n${HANDLER}`],
    ['a helper that is set later', `let key = (req) => req.configuration.B1;\nkey = other;\n${HANDLER}`],
    ['a helper of its own scope', `{ const key = (req) => req.configuration.B1; }\n${HANDLER}`],
    ['arguments', `function key() { return arguments[0].configuration.B1; }\n${HANDLER}`],
    ['a rest parameter', `const key = (...all) => all[0].configuration.B1;\n${HANDLER}`],
    ['a spread', `const key = (x, c) => c.B1;\nmodule.exports = async (req) => key(...req.args, req.configuration);`],
    [
      'a method that is replaced',
      `const lib = { key(req) { return req.configuration.B1; } };\nlib.key = other;\nmodule.exports = async (req) => lib.key(req);`,
    ],
    [
      'a method of a derived class',
      'class H extends Base { run(req) { return req.configuration.B1; } }\nconst h = new H();\nmodule.exports = async (req) => h.run(req);',
    ],
    ['a wrapper', "const { wrap } = require('w');\nmodule.exports = wrap(async (req) => req.configuration.B1);"],
    [
      'a wrapper that is used twice',
      'const wrap = (fn) => async (req) => fn(req);\nconst other = wrap((x) => x.configuration.B1);\nmodule.exports = wrap(async () => other({ configuration: { B1: 1 } }));',
    ],
  ])('is not reported for %s', async (_, code) => {
    expect((await listFindings(code)).filter((text) => text.includes('undeclared'))).toEqual([]);
  });

  it('leaves nothing unused that a function may read in another way', async () => {
    const codes = [
      `function key() { return arguments[0].configuration.B1; }\n${HANDLER}`,
      `const key = (req) => req;\nmodule.exports = async (req) => key(req).configuration.B1;`,
      `const key = (...all) => all[0].configuration.B1;\n${HANDLER}`,
      `class H { constructor(req) { this.req = req; } key() { return this.req.configuration.B1; } }\nmodule.exports = async (req) => new H(req).key();`,
    ];
    for (const code of codes) expect(await listFindings(code, 'B1')).toEqual([]);
  });
});
