/** The rule about invisible characters in code. */
import { isInPackage } from '../code/bundle/package-name.ts';
import { findUnneededInvisible } from '../text/invisible.ts';
import { createPositionLookup } from '../text/source-position.ts';
import type { Rule, RuleFinding, Subject } from './rule.ts';

/** Larger code is not searched, because it may consist of invisible characters. */
const MAX_CHARACTERS = 5_000_000;

const NAMES: Readonly<Record<string, string>> = {
  '\u00ad': 'soft hyphen',
  '\u115f': 'Hangul filler',
  '\u1160': 'Hangul filler',
  '\u200b': 'zero-width space',
  '\u200c': 'zero-width non-joiner',
  '\u200d': 'zero-width joiner',
  '\u2060': 'word joiner',
  '\u2800': 'blank Braille pattern',
  '\u3164': 'Hangul filler',
  '\ufeff': 'byte order mark',
  '\uffa0': 'Hangul filler',
};

function describeCharacter(character: string): string {
  if (/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(character)) return 'bidirectional control';
  if (/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u.test(character)) return 'variation selector';
  if (/[\u{e0000}-\u{e007f}]/u.test(character)) return 'tag';
  if (/\p{Noncharacter_Code_Point}/u.test(character)) return 'not a character';
  return NAMES[character] ?? 'no visible shape';
}

const formatCodePoint = (character: string) =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

/** Consecutive characters are one finding. */
function findRuns(file: string, text: string): RuleFinding[] {
  const runs: { characters: string[]; offset: number; end: number }[] = [];
  for (const { character, offset } of findUnneededInvisible(text)) {
    const last = runs.at(-1);
    if (last?.end === offset) {
      last.characters.push(character);
      last.end += character.length;
    } else runs.push({ characters: [character], offset, end: offset + character.length });
  }
  if (runs.length === 0) return [];
  const locate = createPositionLookup(text, 'code');
  return runs.map(({ characters, offset }): RuleFinding => {
    const [first = ''] = characters;
    const others = characters.length > 1 ? ` and ${characters.length - 1} more` : '';
    return {
      file,
      ...locate(offset),
      message: `${file} contains an invisible character: U+${formatCodePoint(first)} (${describeCharacter(first)})${others}`,
      fix: `Remove it, or in a string write \\u{${formatCodePoint(first).toLowerCase()}}`,
    };
  });
}

const CODE_FILE = /\.[cm]?[jt]sx?$/;

/** The code as written: for a bundle, the formula's own sources. */
function listSources({ code, sources }: Subject): [file: string, text: string][] {
  if (!sources) return code ? [[code.file, code.text]] : [];
  return [...sources]
    .filter(([file]) => CODE_FILE.test(file) && !isInPackage(file))
    .map(([file, text]) => [file, text.replace(/^\ufeff/, '')]);
}

export const invisibleRules: readonly Rule[] = [
  {
    id: 'code-invisible',
    level: 'warning',
    description:
      'Invisible characters in names, strings, or comments of the code (zero-width, fillers, blanks, tags, bidirectional), except in emoji and in scripts that need them.',
    usesSourceLocations: true,
    check: (subject) =>
      listSources(subject)
        .filter(([, text]) => text.length <= MAX_CHARACTERS)
        .flatMap(([file, text]) => findRuns(file, text)),
  },
];
