/** The variables of a script, compared with eslint-scope, an independent implementation. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyNode, type Program, parse } from 'acorn';
import { analyze } from 'eslint-scope';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSyntaxTree } from '../../../src/code/ast/walk.ts';
import { parseCode } from '../../../src/code/parse/parse.ts';
import { analyzeScopes, isConstant, type Variable } from '../../../src/code/scope/scope-analysis.ts';
import { FUNCTIONS, UNKNOWN } from '../../fixtures/code/export-styles.ts';
import { STYLES } from '../../fixtures/code/styles.ts';
import { LEGAL } from '../../fixtures/code/syntax-cases.ts';
import { runs } from '../../helpers/runs.ts';

/** What is known of the names of a script, as plain values: each identifier with its variable, and each variable. */
interface Known {
  variables: { names: number[]; reads: number[]; isStable: boolean; declaredAt: number | undefined }[];
  free: string[];
}

const ascending = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);

function known<V extends object>(
  variableOf: ReadonlyMap<{ start: number }, V>,
  free: readonly { node: { start: number }; isWrite: boolean }[],
  describeVariable: (variable: V) => Omit<Known['variables'][number], 'names'>,
): Known {
  const names = new Map<V, number[]>();
  for (const [node, variable] of variableOf) names.set(variable, [...(names.get(variable) ?? []), node.start]);
  return {
    variables: [...names]
      .map(([variable, at]) => ({ names: ascending(at), ...describeVariable(variable) }))
      .sort((a, b) => (a.names[0] ?? 0) - (b.names[0] ?? 0)),
    free: [...new Set(free.map(({ node, isWrite }) => `${node.start} ${isWrite}`))].sort(),
  };
}

function ours(program: Program): Known | undefined {
  const scopes = analyzeScopes(buildSyntaxTree(program));
  return (
    scopes &&
    known(scopes.variableOf, scopes.free, (variable: Variable) => ({
      reads: variable.reads.map(({ start }) => start),
      isStable: isConstant(variable),
      declaredAt: variable.declarations[0]?.start,
    }))
  );
}

/** The result of eslint-scope in the same format. */
function theirs(code: string): Known | undefined {
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'commonjs', allowHashBang: true, ranges: true });
  const manager = analyze(program as Parameters<typeof analyze>[0], { ecmaVersion: 2022, sourceType: 'commonjs' });
  if (manager.scopes.some(({ type, dynamic }) => type === 'with' || (dynamic && type !== 'global'))) return undefined;
  const start = (node: object) => (node as AnyNode).start;
  const variableOf = new Map<AnyNode, (typeof manager.scopes)[number]['variables'][number]>();
  for (const { variables, references } of manager.scopes) {
    for (const variable of variables) for (const node of variable.identifiers) variableOf.set(node as never, variable);
    for (const { identifier, resolved } of references) if (resolved) variableOf.set(identifier as never, resolved);
  }
  const free = (manager.globalScope?.through ?? []).map((reference) => ({
    node: reference.identifier as unknown as AnyNode,
    isWrite: reference.isWrite(),
  }));
  return known(variableOf, free, ({ defs, references }) => ({
    reads: ascending(references.filter((one) => one.isRead()).map(({ identifier }) => start(identifier))),
    isStable: defs.length === 1 && references.every((one) => !one.isWrite() || one.init === true),
    declaredAt: defs[0] && start(defs[0].node),
  }));
}

/** Names in every position that has a rule of its own. */
const TRICKY = [
  'try { f(); } catch (e) { var e = 1; e; } e;',
  'try { f(); } catch (e) { for (var e in x) e; } e;',
  'try { f(); } catch ({ a = b, ...c }) { let a2 = a; c; } a;',
  'var x = 1; function f(a = x, b = () => x, { c = arguments } = arguments) { var x = 2; return arguments; }',
  'const f = function f() { return f; }; f; const g = function h(h) { h = 1; };',
  'class A extends A { static b = A; [A]() { return A; } static { var A = 1; A; } } A; const B = class C { x = C; }; C;',
  'class D { a = b; b = () => { var c = 1; return c; }; static [c] = d; #e = this.#e; }',
  'for (let i = 0, n = i; i < n; i++) { const i = 2; i; } i; for (var j of j) j; for (const k of k) k; k;',
  'for (a of b) a; for ([a, c.d[e], ...g] of h) a; for ({ i = j, [k]: l.m } in n) i;',
  'switch (a) { case a: let a = 1; a; break; default: b; var b; } a; b;',
  '[a, { b = c, [d]: e.f[g], ...h }] = i; ({ a }) => a; a += 1; b++; --c.d; a ||= b; ({ a } = a);',
  'l: for (;;) { break l; continue l; } const l = { l, l2: l, [l]: 1, l() { return l; }, get l3() { return l; } }; l.l; l[l];',
  'let a = 1; { let a = 2; { a; var b = a; } function c() { return c; } c; } b; a; function a2(a, a) { a; }',
  'function n() { return new.target; } import(n); `a`; n`b`; typeof u; delete u2; u3 = 1; n.m``;',
  `\`\${n}\${() => n}\${n}\`; let n; n\`\${n}\`;`,
  'var arguments = 1; arguments; function f() { var arguments; return () => arguments; } (() => arguments)();',
  '(a, b = a, [c] = b, { d: [e = d2] }) => { a; b; c; e; var a; }; async (x) => { await x; for await (const y of x) y; };',
  'function* g(a) { yield* a; yield g; } label: g; if (a) { var a; } else function z() {} z; x?.y?.[z]; exports.a = require;',
  "eval('a'); var a;",
  'function f() { with (a) b; }',
  'const eval2 = eval; eval2(a); globalThis.eval(b);',
];

const CODES = [...FUNCTIONS, ...UNKNOWN, ...LEGAL.map(([, code]) => code), ...STYLES.map(({ code }) => code)];

/** Statements that put names into one another's scopes. */
const STATEMENT = fc.letrec<{ statement: string; expression: string }>((tie) => {
  const name = fc.constantFrom('a', 'b', 'arguments');
  const pattern = fc.tuple(name, name, tie('expression')).map(([a, b, value]) => `{ ${a}, k: [${b} = ${value}] }`);
  const body = fc.array(tie('statement'), { maxLength: 3 }).map((statements) => statements.join(' '));
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      name,
      fc.tuple(name, tie('expression')).map(([a, value]) => `(${a} = ${value})`),
      fc
        .tuple(name, body)
        .map(([a, inside]) => `function ${a}(b) { ${inside} }`)
        .map((text) => `(${text})`),
      fc.tuple(pattern, tie('expression')).map(([target, value]) => `((${target}) => ${value})`),
      fc.tuple(pattern, tie('expression')).map(([target, value]) => `(${target} = ${value})`),
      fc.tuple(name, tie('expression')).map(([a, value]) => `(class ${a} extends a { [${value}] = ${value}; })`),
    ),
    statement: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('expression').map((expression) => `;${expression};`),
      fc
        .tuple(fc.constantFrom('var', 'let'), pattern, tie('expression'))
        .map(([kind, target, value]) => `${kind} ${target} = ${value};`),
      fc
        .tuple(name, tie('expression'), body)
        .map(([a, value, inside]) => `function ${a}(a, b = ${value}) { ${inside} }`),
      fc
        .tuple(name, body, body)
        .map(([a, inside, after]) => `try { ${inside} } catch (${a}) { var ${a} = 1; ${after} }`),
      fc
        .tuple(fc.constantFrom('var ', 'let ', ''), name, tie('expression'), body)
        .map(([kind, a, value, inside]) => `for (${kind}${a} in ${value}) { ${inside} }`),
      fc.tuple(tie('expression'), body).map(([value, inside]) => `switch (${value}) { case 1: ${inside} }`),
    ),
  };
}).statement;

/** Whether it is code at all; it must be told the same by both. */
async function isToldAlike(code: string): Promise<boolean> {
  const { program } = await parseCode(code);
  if (!program) return false;
  expect(ours(program), code.slice(0, 300)).toEqual(theirs(code));
  return true;
}

/** Scripts of others: what is CommonJS in a few packages that are here anyway. */
const PACKAGES = ['commander', 'esrecurse', 'jsonc-parser', 'undici'];
const scripts = PACKAGES.flatMap((name) => {
  const folder = join(import.meta.dirname, '../../../node_modules', name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.c?js$/.test(file));
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).filter(({ length }) => length < 20_000);
});

describe('the scopes of a script', () => {
  it.each(TRICKY)('equal those of eslint-scope: %s', async (code) => {
    expect(await isToldAlike(code)).toBe(true);
  });

  it('equal those of eslint-scope in every style of formula', async () => {
    for (const code of CODES) await isToldAlike(code);
  });

  it('equal those of eslint-scope in scripts of others', async () => {
    let count = 0;
    for (const code of scripts) if (await isToldAlike(code)) count += 1;
    expect(count).toBeGreaterThan(50);
  });

  it('equal those of eslint-scope in any statements', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STATEMENT, { maxLength: 4 }), async (statements) => {
        await isToldAlike(statements.join('\n'));
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('a function in a block', () => {
  const free = async (code: string) => {
    const { program } = await parseCode(code);
    const scopes = program && analyzeScopes(buildSyntaxTree(program));
    return scopes?.free.map(({ node }) => node.name);
  };

  it.each([
    ['is declared around the block in sloppy code', 'if (1) { function f() {} } f();', []],
    ['is declared in the function around the block', '(() => { { { function f() {} } } f(); })(); f();', ['f']],
    ['is not declared outside in strict code', "'use strict'; if (1) { function f() {} } f();", ['f']],
    ['is not declared outside of a strict function', "(() => { 'use strict'; { function f() {} } f(); })();", ['f']],
    ['is not declared outside if it is asynchronous', '{ async function f() {} } f();', ['f']],
  ])('%s', async (_, code, expected) => {
    expect(await free(code)).toEqual(expected);
  });
});
