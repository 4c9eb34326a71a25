import { describe, expect, it } from 'vitest';
import { findUnneededInvisible, replaceInvisible, replaceUnneededInvisible } from '../../src/text/invisible.ts';

const VISIBLE: [string, string][] = [
  ['letters', 'Füße, 漢字, привет'],
  ['a no-break space', 'a\u00a0b'],
  ['a narrow no-break space', '1\u202f000'],
  ['an ideographic space', '漢\u3000字'],
  ['Hangul', '한글'],
  ['an emoji', '😀'],
  ['an emoji with a variation selector', '❤\ufe0f'],
  ['an emoji shown as text', '❤\ufe0e'],
  ['an emoji of a family', '👨\u200d👩\u200d👧'],
  ['an emoji of a couple', '👩\u200d❤\ufe0f\u200d💋\u200d👨'],
  ['an emoji with a skin tone', '👩🏽\u200d💻'],
  ['an emoji of a detective', '🕵\ufe0f\u200d♀\ufe0f'],
  ['a rainbow flag', '🏳\ufe0f\u200d🌈'],
  ['a pirate flag', '🏴\u200d☠\ufe0f'],
  ['the flag of a country', '🇩🇪'],
  ['the flag of Scotland', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
  ['a keycap', '1\ufe0f\u20e3 #\ufe0f\u20e3'],
  ['a sign with a variation selector', '©\ufe0f ™\ufe0f'],
  ['Persian with a non-joiner', 'می\u200cخواهم'],
  ['Arabic with a joiner', 'ه\u200d'],
  ['Arabic with vowel signs and a non-joiner', 'نِ\u200cم'],
  ['Hindi with a joiner', 'क्\u200dष'],
  ['Hindi with a non-joiner', 'क्\u200cष'],
  ['Sinhala', 'ශ්\u200dරී ලංකාව'],
  ['Malayalam', 'ന്\u200d'],
  ['Bengali', 'র\u200d্য'],
  ['Thai words that are divided', 'ภาษา\u200bไทย'],
  ['Khmer words that are divided', 'ភាសា\u200bខ្មែរ'],
  ['a variant of a Han character', '葛\u{e0100}城'],
  ['a Mongolian variant', 'ᠭ\u180b'],
];

const HIDDEN: [string, string, string[]][] = [
  ['a zero-width space', 'zero\u200bwidth', ['\u200b']],
  ['a zero-width joiner between letters', 'a\u200db', ['\u200d']],
  ['a zero-width non-joiner between letters', 'a\u200cb', ['\u200c']],
  ['a word joiner', 'a\u2060b', ['\u2060']],
  ['invisible operators', 'a\u2062b\u2063', ['\u2062', '\u2063']],
  ['a byte order mark in the middle', 'a\ufeffb', ['\ufeff']],
  ['a soft hyphen', 'ad\u00admin', ['\u00ad']],
  ['a Hangul filler as a name', 'const \u3164 = 1', ['\u3164']],
  ['a half-width Hangul filler', '\uffa0', ['\uffa0']],
  ['Hangul jamo fillers', '\u115f\u1160', ['\u115f', '\u1160']],
  ['tags', 'a\u{e0061}\u{e0062}', ['\u{e0061}', '\u{e0062}']],
  ['tags without a flag', '😀\u{e0061}\u{e007f}', ['\u{e0061}', '\u{e007f}']],
  ['more tags than a flag has', `🏴${'\u{e0061}'.repeat(9)}\u{e007f}`, [...'\u{e0061}'.repeat(9), '\u{e007f}']],
  ['a variation selector after a letter', 'a\ufe0f', ['\ufe0f']],
  ['several variation selectors after an emoji', '❤\ufe0f\ufe0f', ['\ufe0f']],
  ['supplementary variation selectors', '😀\u{e0101}\u{e0102}', ['\u{e0101}', '\u{e0102}']],
  ['a joiner after an emoji', '😀\u200da', ['\u200d']],
  ['several joiners between emoji', '👨\u200d\u200d👩', ['\u200d', '\u200d']],
  ['several non-joiners in Persian', 'می\u200c\u200cخ', ['\u200c']],
  ['a zero-width space in Persian', 'می\u200bخ', ['\u200b']],
  ['an override of direction', 'access\u202elevel', ['\u202e']],
  ['isolates', '\u2066a\u2069', ['\u2066', '\u2069']],
  ['a mark of direction between letters from left to right', 'a\u200eb', ['\u200e']],
  ['Mongolian vowel separator between letters', 'a\u180eb', ['\u180e']],
  ['combining grapheme joiner', 'a\u034fb', ['\u034f']],
  ['annotation controls', 'a\ufff9b\ufffa', ['\ufff9', '\ufffa']],
];

const hidden = (text: string) => [...findUnneededInvisible(text)].map(({ character }) => character);

describe('an invisible character', () => {
  it.each(VISIBLE)('is needed in %s', (_, text) => {
    expect(hidden(text)).toEqual([]);
    expect(replaceUnneededInvisible(text, () => '!')).toBe(text);
  });

  it.each(HIDDEN)('hides: %s', (_, text, found) => {
    expect(hidden(text)).toEqual(found);
    expect(replaceUnneededInvisible(text, () => '!').split('!')).toHaveLength(found.length + 1);
  });

  it.each([
    ['Hebrew', 'שלום!\u200f'],
    ['Arabic', '\u061cمرحبا'],
  ])('may be a mark of direction in %s', (_, text) => {
    expect(hidden(text)).toEqual([]);
  });

  it('is replaced everywhere on request', () => {
    expect(replaceInvisible('👨\u200d👩 می\u200cخ ❤\ufe0f a\u200b', () => '!')).toBe('👨!👩 می!خ ❤! a!');
  });

  it('is found at its position', () => {
    expect([...findUnneededInvisible('😀 a\u200bb\u{e0061}')]).toEqual([
      { character: '\u200b', offset: 4 },
      { character: '\u{e0061}', offset: 6 },
    ]);
  });
});
