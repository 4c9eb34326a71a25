/** Characters that nobody sees: where they are part of what is seen, and where they may hide something. Pure. */

/** What Unicode displays as nothing: zero-width, fillers, tags, variation selectors, bidirectional controls, soft hyphens. */
const INVISIBLE = '[\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]';

/** A flag of a country's part, made of tags: England, Scotland, Wales. */
const FLAG = '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}';
const KEYCAP = '[0-9#*]\\ufe0f?\\u20e3';
const EMOJI = '\\p{Extended_Pictographic}[\\ufe0e\\ufe0f\\p{Emoji_Modifier}]?';
const EMOJI_SEQUENCE = `${EMOJI}(?:\\u200d${EMOJI})*`;

const toScriptClass = (scripts: string) =>
  `[${scripts.replace(/\w+/g, '\\p{Script_Extensions=$&}').replaceAll(' ', '')}]`;

/** Scripts whose letters join, or do not join, by U+200C and U+200D. */
const JOINING = toScriptClass(
  'Arab Syrc Mand Mong Nkoo Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Bali Java',
);
/** Scripts without spaces, whose words may be divided by U+200B or kept together by U+2060. */
const UNSPACED = toScriptClass('Thai Laoo Khmr Mymr Tibt');
const VARIANT = '\\p{Script=Han}[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]|\\p{Script=Mong}[\\u180b-\\u180f]';

/** Each alternative but the last is a sequence that needs its invisible characters. */
const SEQUENCES = `(${FLAG}|${KEYCAP}|${EMOJI_SEQUENCE}|${VARIANT}|${JOINING}[\\u200c\\u200d]|${UNSPACED}[\\u200b\\u2060](?=${UNSPACED}))|${INVISIBLE}`;

/** V8 takes milliseconds for these expressions, and most texts need none of them. */
const compiledRegExps = new Map<string, RegExp>();

function compileRegExp(source: string, flags: 'u' | 'gu'): RegExp {
  const key = flags + source;
  const found = compiledRegExps.get(key) ?? new RegExp(source, flags);
  compiledRegExps.set(key, found);
  return found;
}

/** The first invisible character is U+00AD. */
const hasInvisible = (text: string) => /[\u00ad-\uffff]/.test(text) && compileRegExp(INVISIBLE, 'u').test(text);

/** The text with each invisible character replaced, also in emoji and letters that need it. */
export const replaceInvisible = (text: string, replace: (character: string) => string): string =>
  hasInvisible(text) ? text.replace(compileRegExp(INVISIBLE, 'gu'), replace) : text;

/** The same, except where emoji and scripts need them. */
export const replaceUnneededInvisible = (text: string, replace: (character: string) => string): string =>
  hasInvisible(text)
    ? text.replace(compileRegExp(SEQUENCES, 'gu'), (found, needed: string | undefined) => needed ?? replace(found))
    : text;

/** The offsets of the invisible characters that no emoji and no script needs. */
export function* findUnneededInvisible(text: string): Generator<{ character: string; offset: number }> {
  if (!hasInvisible(text)) return;
  for (const { 0: character, 1: needed, index: offset } of text.matchAll(compileRegExp(SEQUENCES, 'gu')))
    if (needed === undefined && !isNeededDirectionMark(text, character, offset)) yield { character, offset };
}

/** Marks that punctuation needs next to letters that are written from right to left; not what reorders text. */
function isNeededDirectionMark(text: string, character: string, offset: number): boolean {
  return (
    /[\u061c\u200e\u200f]/.test(character) &&
    compileRegExp(RIGHT_TO_LEFT, 'u').test(text.slice(Math.max(0, offset - 10), offset + 10))
  );
}

const RIGHT_TO_LEFT = toScriptClass('Hebr Arab Syrc Thaa Nkoo Mand Adlm');
