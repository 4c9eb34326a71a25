import { describe, expect, it } from 'vitest';
import { ownFrames } from '../../src/run/frames.ts';

const OWN = { folder: '/f/card', file: '/f/card/code.js' };

describe('the frames of a stack', () => {
  it.each<[string, string, string[]]>([
    ['a function', '    at handler (/f/card/code.js:3:9)', ['code.js:3:9']],
    ['no function', '    at /f/card/lib/a.js:1:2', ['lib/a.js:1:2']],
    ['an address', '    at async file:///f/card/code.js:4:5', []],
    ['an address in brackets', '    at x (file:///f/card/code.js:4:5)', ['code.js:4:5']],
    ['a package', '    at x (/f/card/node_modules/a/b.js:4:5)', []],
    ['Node.js', '    at node:internal/main:1:2', []],
    ['code that does not compile', '/f/card/code.js:7\nlet let;\n    ^^^\nSyntaxError: x', ['code.js:7:5']],
    ['no frame', '    at x (native)\nat', []],
    ['a line made to be tried for ever', ` at ${'('.repeat(200_000)}${':1'.repeat(200_000)}x`, []],
  ])('of %s', (_, stack, places) => {
    expect(ownFrames(stack, OWN).map(({ file, line, column }) => `${file}:${line}:${column}`)).toEqual(places);
  });
});
