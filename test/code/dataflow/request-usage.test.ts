/** What the exported function reads of its request, as a table of styles. */
import { describe, expect, it } from 'vitest';
import { analyzeProgram } from '../../../src/code/analysis.ts';
import { parseCode } from '../../../src/code/parse/parse.ts';
import { codePositionAt } from '../../../src/text/source-position.ts';

async function usageIn(code: string) {
  const { program } = await parseCode(code);
  return program && analyzeProgram(program).requestUsage;
}

/** The reads as strings: `args.card` is read, `args.card.*` passed on, `?` if the value may come from elsewhere. */
async function reads(code: string): Promise<string> {
  const usage = await usageIn(code);
  if (!usage) return 'cannot be told';
  const words = usage.reads
    .filter(({ path, escapes }) => escapes || path.length > 1)
    .map(({ path, escapes, isCertain }) => `${[...path, ...(escapes ? ['*'] : [])].join('.')}${isCertain ? '' : '?'}`);
  return [...new Set(words)].sort().join(' ');
}

/** A function with this body and, unless another is given, the parameter req. */
const body = (text: string, parameter = 'req') => `module.exports = async (${parameter}) => { ${text} };`;

describe('the read parts of the request', () => {
  it.each([
    ['a member', body('return { raw: { n: req.args.card.number } };'), 'args.card.number.*'],
    [
      'taken apart in the parameter',
      body('f(number);', '{ args: { card: { number } } }'),
      'args.card args.card.number args.card.number.*',
    ],
    ['renamed', body('f(c.A);', '{ configuration: c }'), 'configuration.A.*'],
    ['with defaults', body('f(a.x);', '{ args: a = {} } = {}'), 'args.x.*'],
    ['an alias', body('const { args: { card } } = req; f(card.number);'), 'args.card args.card.number.*'],
    ['an alias of an alias', body('const a = req.args, b = a; f(b.x);'), 'args.x.*'],
    ['optional chaining', body('f(req?.args?.card?.number);'), 'args.card.number.*'],
    ['written in brackets', body("f(req['args']['card'], req.configuration[`A`]);"), 'args.card.* configuration.A.*'],
    ['a constant in brackets', `const KEY = 'A';\n${body('f(req.configuration[KEY]);')}`, 'configuration.A.*'],
    ['a computed name', body('f(req.configuration[key()]);'), 'configuration.*'],
    ['a variable that changes', `let k = 'A'; k = 'B';\n${body('f(req.configuration[k]);')}`, 'configuration.*'],
    ['a test', body('if (req.args.card) return {}; return !req.args.x;'), 'args.card args.x'],
    ['a comparison', body('return req.args.mode === "live";'), 'args.mode'],
    ['a method', body("return req.configuration.A.split(',');"), 'configuration.A.*'],
    ['a method of the whole', body("return req.configuration.hasOwnProperty('A');"), 'configuration.*'],
    ['a default for the whole', body('const a = req.args || {}; f(a.x);'), 'args.x.*'],
    ['one of two', body('const a = req.legacy ? req.body : req.args; f(a.x);'), 'args.x.*?'],
    ['one or nothing', body('const a = req ? req.args : {}; f(a.x);'), 'args.x.*'],
    ['a variable that changes', body('let a = req.args; a = { x: 1 }; f(a.x);'), 'args.x.*?'],
    ['handed to a helper', body('return help(req.args);'), 'args.*'],
    ['the request passed on', body('return help(req);'), '*'],
    ['spread', body('return { ...req.args };'), 'args.*'],
    ['the rest', body('f(a);', '{ args: { a, ...rest } }'), 'args.* args.a args.a.*'],
    ['kept in a property', body('state.c = req.configuration;'), 'configuration.*'],
    ['kept in a global', body('kept = req.configuration;'), 'configuration.*'],
    [
      'kept in a variable of the file',
      `let kept;\nfunction f() { return kept.A; }\n${body('kept = req.configuration; return f();')}`,
      'configuration.A.*?',
    ],
    ['the keys of a loop', body('for (const k in req.args) f(k);'), 'args.*'],
    ['a question for a key', body("if ('card' in req.args) f();"), 'args.card?'],
    ['a value that is set', body('req.args.x = 1; ({ y: req.args.y } = z); [req.args.w] = z;'), ''],
    ['a value that is changed', body('req.args.x += 1; delete req.args.y;'), 'args.x? args.y?'],
    ['arguments', 'module.exports = async function () { return arguments[0].args.x; };', '*'],
    ['no parameter', 'module.exports = async () => ({});', ''],
    ['a list', body('const [first] = req.args.list; f(req.args[0]);'), 'args.0.* args.list.*'],
    ['a shadowed name', body('{ const req = { args: { y: 1 } }; f(req.args.y); } f(req.args.x);'), 'args.x.*'],
    ['names of another one', `function g(args) { return args.y; }\n${body('return args.x;', '{ args }')}`, 'args.x.*'],
    ['a closure', body('return list.map(() => args.x);', '{ args }'), 'args.x.*'],
    [
      'a chain without an end',
      body('let n = req.args.n; while (n) n = n.next; f(req.args.x);'),
      'args.n args.n.next.*? args.n.next? args.n? args.x.*',
    ],
    ['bt, which is not declared', body('return req.bt.tokens.create(req.args.x);'), 'args.x.*'],
    ['a function by its name', 'async function run({ args }) { return args.x; }\nmodule.exports = run;', 'args.x.*'],
    ['a bound function', 'const run = async ({ args }) => args.x;\nmodule.exports = run.bind(null);', 'args.x.*'],
    [
      'a function with bound arguments',
      'const run = async (db, { args }) => args.x;\nmodule.exports = run.bind(null, 1);',
      'cannot be told',
    ],
    ['a wrapped function', 'module.exports = wrap(async ({ args }) => args.x);', 'cannot be told'],
    ['eval', body('return eval("req.args.x");'), 'cannot be told'],
    ['with', body('with (req) { return args.x; }'), 'cannot be told'],
  ])('%s', async (_, code, found) => {
    expect(await reads(code)).toBe(found);
  });

  it('are found at their positions', async () => {
    const code = 'module.exports = async ({ args }) =>\n  f(args.x);';
    const read = (await usageIn(code))?.reads.at(-1);
    expect(read).toMatchObject({ path: ['args', 'x'] });
    expect(codePositionAt(code, read?.at ?? 0)).toEqual({ line: 2, column: 5 });
  });
});
