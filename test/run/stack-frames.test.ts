import { win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findOwnFrames, toOwnFile } from '../../src/run/stack-frames.ts';

const OWN = { folder: '/f/card', file: '/f/card/code.js' };

describe('the frames of a stack', () => {
  it.each<[string, string, string[]]>([
    ['a function', '    at handler (/f/card/code.js:3:9)', ['code.js:3:9']],
    ['no function', '    at /f/card/lib/a.js:1:2', ['lib/a.js:1:2']],
    ['an address', '    at async file:///f/card/code.js:4:5', ['code.js:4:5']],
    ['an address with escapes', '    at file:///f/card/a%20b.mjs:4:5', ['a b.mjs:4:5']],
    ['an address that is none', '    at file://host/f/card/%.js:4:5', []],
    ['evaluated text', '    at eval (eval at x (/f/card/code.js:3:9), <anonymous>:1:1)', []],
    ['a folder next to it', '    at x (/f/cards/code.js:3:9)', []],
    ['an address in brackets', '    at x (file:///f/card/code.js:4:5)', ['code.js:4:5']],
    ['a package', '    at x (/f/card/node_modules/a/b.js:4:5)', []],
    ['Node.js', '    at node:internal/main:1:2', []],
    ['code that does not compile', '/f/card/code.js:7\nlet let;\n    ^^^\nSyntaxError: x', ['code.js:7:5']],
    ['no frame', '    at x (native)\nat', []],
    ['a line made to be tried for ever', ` at ${'('.repeat(200_000)}${':1'.repeat(200_000)}x`, []],
  ])('of %s', (_, stack, places) => {
    expect(findOwnFrames(stack, OWN).map(({ file, line, column }) => `${file}:${line}:${column}`)).toEqual(places);
  });
});

describe('the frames of a stack on Windows', () => {
  const OWN_THERE = { folder: 'C:\\my (1)\\card', file: 'C:\\my (1)\\card\\code.js' };

  it.each<[string, string, string[]]>([
    ['a function', '    at handler (C:\\my (1)\\card\\code.js:3:9)', ['code.js:3:9']],
    ['no function', '    at C:\\my (1)\\card\\lib\\a.js:1:2', ['lib/a.js:1:2']],
    ['an address', '    at async file:///C:/my%20(1)/card/lib/a.mjs:4:5', ['lib/a.mjs:4:5']],
    ['a package', '    at x (C:\\my (1)\\card\\node_modules\\a\\b.js:4:5)', []],
    ['another drive', '    at x (D:\\my (1)\\card\\code.js:4:5)', []],
    ['Node.js', '    at node:internal/main:1:2', []],
    ['code that does not compile', 'C:\\my (1)\\card\\code.js:7\nlet let;\n    ^^^\nSyntaxError: x', ['code.js:7:5']],
  ])('of %s', (_, stack, places) => {
    expect(findOwnFrames(stack, OWN_THERE, win32).map(({ file, line, column }) => `${file}:${line}:${column}`)).toEqual(
      places,
    );
  });

  it.each([
    ['C:\\my (1)\\card\\lib\\a.js', 'lib/a.js'],
    ['C:\\my (1)\\card\\node_modules\\a\\b.js', undefined],
    ['C:\\my (1)\\cards\\a.js', undefined],
  ])('have files with slashes: %s', (path, name) => {
    expect(toOwnFile(path, OWN_THERE, win32)).toBe(name);
  });
});
