/** The walk over a syntax tree: it visits every node, and knows the parent of each. */
import type { AnyNode } from 'acorn';
import { describe, expect, it } from 'vitest';
import { buildSyntaxTree, walk } from '../../../src/code/ast/walk.ts';
import { BoundedParser } from '../../../src/code/parse/acorn-parser.ts';
import { parseCode, parseWithMeriyah } from '../../../src/code/parse/parse.ts';
import { FUNCTIONS, UNKNOWN } from '../../fixtures/code/export-styles.ts';
import { STYLES } from '../../fixtures/code/styles.ts';
import { LEGAL } from '../../fixtures/code/syntax-cases.ts';

/** Something of every kind that a script can hold. */
const ALL_KINDS = `'use strict';
label: for (let i = 0, j; i < 1; i++) { if (i) continue label; else break label; }
for (const a in {}) ; for (var b of []) { debugger; }
do { } while (false); while (false) ;
switch (a) { case 1: b(); break; default: }
try { throw new Error(\`a\${b}c\`); } catch ({ message: m = 1, ...rest }) { } finally { }
class A extends (B, C) { static x = 1; #y = 2; static { this.x; } get [z]() { return #y in this; } constructor() { super(); } }
const D = class E { }, f = function* () { new.target; yield* g(); yield; }, h = async ([p, , q = 1], ...r) => { for await (const s of t) ; };
tag\`x\`; import('a'); a?.b?.[c]; [...d, , e]; ({ ...u, v, w() {}, get k() { return 1n; } }); /r/g; void 0; x ||= y ?? z ? 1 : -2;`;

/** Every object with a type that is reached over any key at all. */
function reached(root: object): Set<object> {
  const found = new Set<object>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || found.has(value)) continue;
    if ('type' in value) found.add(value);
    open.push(...Object.values(value));
  }
  return found;
}

const LEGAL_CODES = LEGAL.map(([, code]) => code);
const CODES = [ALL_KINDS, ...FUNCTIONS, ...UNKNOWN, ...LEGAL_CODES, ...STYLES.map(({ code }) => code)];

describe('the walk over a script', () => {
  it('visits every node once, whatever its type', async () => {
    let seen = 0;
    for (const code of CODES) {
      const { program } = await parseCode(code);
      if (!program) continue;
      seen += 1;
      const { nodes } = buildSyntaxTree(program);
      expect(new Set(nodes)).toEqual(reached(program));
      expect(nodes.length).toBe(new Set(nodes).size);
      expect(walk(program).every((node, i) => node === nodes[i])).toBe(true);
    }
    expect(seen).toBeGreaterThan(50);
  });

  it('records the parent of each node, which contains its source', async () => {
    const { program } = await parseCode(ALL_KINDS);
    const { nodes, parentOf } = buildSyntaxTree(program as AnyNode);
    expect(parentOf.get(program as AnyNode)).toBeUndefined();
    for (const node of nodes.slice(1)) {
      const parent = parentOf.get(node) as AnyNode;
      expect(parent.start <= node.start && node.end <= parent.end).toBe(true);
      expect(Object.values(parent).flat()).toContain(node);
    }
  });

  it.each([
    ['meriyah', (code: string) => parseWithMeriyah(code)?.program],
    ['acorn', (code: string) => BoundedParser.parse(code, { ecmaVersion: 2022, sourceType: 'script' })],
  ])('visits the nodes of %s in source order', (_, parse) => {
    const nodes = walk(parse(ALL_KINDS) as AnyNode);
    expect(nodes.length).toBeGreaterThan(150);
    for (const [i, node] of nodes.entries()) expect(node.start).toBeGreaterThanOrEqual(nodes[i - 1]?.start ?? 0);
  });
});
