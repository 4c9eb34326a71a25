import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  escapeControls,
  escapeControlsByLine,
  escapeInvisible,
  escapeInvisibleInCode,
  stringifySafely,
} from '../../src/output/escape.ts';
import { runs } from '../helpers/runs.ts';

describe('foreign text', () => {
  it.each([
    ['an escape sequence', '\x1b[2Jgone', '\\u001b[2Jgone'],
    ['a bell', 'ring\x07', 'ring\\u0007'],
    ['a carriage return', 'safe\rOVER', 'safe\\u000dOVER'],
    ['a line feed', 'two\nlines', 'two\\u000alines'],
    ['a tab', 'a\tb', 'a\\u0009b'],
    ['a C1 control', 'c1 \u009b31m', 'c1 \\u009b31m'],
    ['a bidirectional override', 'x\u202egnp.exe', 'x\\u202egnp.exe'],
    ['half of a surrogate pair', 'a\ud800b', 'a\\ud800b'],
    ['a command of a CI runner', '::set-output name=x::y', '\\u003a:set-output name=x::y'],
    ['a command after white space', ' \u3000::error::y', ' \u3000\\u003a:error::y'],
    ['a log group of a CI runner', '##[group]x', '\\u0023#[group]x'],
    ['a command in the middle of a line', 'my ##[set-env name=x]y', 'my \\u0023#[set-env name=x]y'],
    ['a command of Azure', 'a ##vso[task.setvariable]b', 'a \\u0023#vso[task.setvariable]b'],
    ['a command of TeamCity', "a##teamcity[buildStop comment='']", "a\\u0023#teamcity[buildStop comment='']"],
    ['several commands, one in another', '###[a]##VSO[b]', '#\\u0023#[a]\\u0023#VSO[b]'],
    ['a section of GitLab', '\x1b[0Ksection_start:1:a\r\x1b[0Kb', '\\u001b[0Ksection_start:1:a\\u000d\\u001b[0Kb'],
  ])('shows %s as an escape', (_, text, shown) => {
    expect(escapeControls(text)).toBe(shown);
  });

  it.each(['Füße', '漢字', '👩‍👩‍👧 family', 'a::b', 'C# and #1', '## heading', 'a ##b', '#[x]', 'zero\u200bwidth'])(
    'does not change %s',
    (text) => {
      expect(escapeControls(text)).toBe(text);
    },
  );

  it.each([
    ['a zero-width space', 'zero\u200bwidth', 'zero\\u{200b}width'],
    ['a filler', 'a\u3164', 'a\\u{3164}'],
    ['tags', 'a\u{e0061}', 'a\\u{e0061}'],
    ['a soft hyphen', 'ad\u00admin', 'ad\\u{ad}min'],
    ['a variation selector', 'a\ufe0f', 'a\\u{fe0f}'],
    ['an override of direction', 'a\u202eb', 'a\\u202eb'],
  ])('for a review shows %s as an escape', (_, text, shown) => {
    expect(escapeInvisible(text)).toBe(shown);
    expect(escapeInvisibleInCode(text)).toBe(shown);
  });

  it('for a review does not change emoji and scripts, except in code', () => {
    const text = '👨\u200d👩 می\u200cخ ❤\ufe0f';
    expect(escapeInvisible(text)).toBe(text);
    expect(escapeInvisibleInCode(text)).toBe('👨\\u{200d}👩 می\\u{200c}خ ❤\\u{fe0f}');
  });

  it('as JSON shows invisible characters, and is the same value', () => {
    const text = 'a\u200b\u{e0061} 👨\u200d👩';
    expect(stringifySafely(text)).toBe('"a\\u200b\\udb40\\udc61 👨\u200d👩"');
    expect(JSON.parse(stringifySafely(text))).toBe(text);
  });

  it('of several lines keeps its lines and tabs, and disarms each', () => {
    expect(escapeControlsByLine('a\tb\n::error::x\r\nc\x1b')).toBe('a\tb\n\\u003a:error::x\nc\\u001b');
  });

  it.each(['##[group]x', 'a ##vso[x]', '\\##teamcity[x]', '###[x]'])('as JSON contains no CI command: %s', (text) => {
    const written = stringifySafely({ [text]: [text] });
    expect(JSON.parse(written)).toEqual({ [text]: [text] });
    expect(written).not.toMatch(/##\w*\[/);
  });

  it('as JSON is the same value when parsed, and contains no control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const written = stringifySafely({ text }, 2);
        expect(JSON.parse(written)).toEqual({ text });
        expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
      { numRuns: runs(100) },
    );
  });
});
