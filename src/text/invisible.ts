/** Finds and replaces invisible characters, except where emoji and scripts need them. Pure. */

/** Format characters that are visible: they enclose the digits after them. */
const PREPENDED_MARKS = '[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]';
/** Symbols without ink: a Braille pattern, the Khitan filler, a null notehead. */
const BLANKS = '\\u2800\\u{16fe4}\\u{1d159}';
/** Zero-width characters, fillers, tags, selectors, bidirectional and other controls, and what is not a character. */
const INVISIBLE = `(?!${PREPENDED_MARKS})[\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Variation_Selector}\\p{Cf}\\p{Noncharacter_Code_Point}${BLANKS}]`;

/** Flags that consist of tags: England, Scotland, Wales. */
const FLAG = '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}';
const KEYCAP = '[0-9#*]\\ufe0f?\\u20e3';
const EMOJI = '\\p{Extended_Pictographic}[\\ufe0e\\ufe0f\\p{Emoji_Modifier}]?';
const EMOJI_SEQUENCE = `${EMOJI}(?:\\u200d${EMOJI})*`;

const toScriptClass = (scripts: string) =>
  `[${scripts.replace(/\w+/g, '\\p{Script_Extensions=$&}').replaceAll(' ', '')}]`;

/** Scripts that use U+200C and U+200D to control joining. */
const JOINING = toScriptClass(
  'Arab Syrc Mand Mong Nkoo Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Bali Java',
);
/** Scripts without spaces, which use U+200B and U+2060 to control line breaks. */
const UNSPACED = toScriptClass('Thai Laoo Khmr Mymr Tibt');
/** Signs between which blanks and controls of their script are needed. */
const SPACED =
  '[\\u2801-\\u28ff]\\u2800+(?=[\\u2801-\\u28ff])|[\\u{13000}-\\u{1342f}][\\u{13430}-\\u{1343f}]+|(?!\\u{16fe4})\\p{Script=Kits}\\u{16fe4}';
const VARIANT = '\\p{Script=Han}[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]|\\p{Script=Mong}[\\u180b-\\u180f]';

/** The group matches sequences that need their invisible characters; the last alternative, all others. */
const SEQUENCES = `(${FLAG}|${KEYCAP}|${EMOJI_SEQUENCE}|${VARIANT}|${SPACED}|${JOINING}[\\u200c\\u200d]|${UNSPACED}[\\u200b\\u2060](?=${UNSPACED}))|${INVISIBLE}`;

/** Compiled on first use: these expressions take milliseconds, and most texts do not need them. */
const compiledRegExps = new Map<string, RegExp>();

function compileRegExp(source: string, flags: 'u' | 'gu'): RegExp {
  const key = flags + source;
  const found = compiledRegExps.get(key) ?? new RegExp(source, flags);
  compiledRegExps.set(key, found);
  return found;
}

/** The first invisible character is U+00AD. */
const hasInvisible = (text: string) => /[\u00ad-\uffff]/.test(text) && compileRegExp(INVISIBLE, 'u').test(text);

/** Replaces all invisible characters, also those that emoji and scripts need. */
export const replaceInvisible = (text: string, replace: (character: string) => string): string =>
  hasInvisible(text) ? text.replace(compileRegExp(INVISIBLE, 'gu'), replace) : text;

/** Replaces the invisible characters that no emoji and no script needs. */
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

/** Whether the character is a direction mark next to right-to-left letters; not an embedding or override. */
function isNeededDirectionMark(text: string, character: string, offset: number): boolean {
  return (
    DIRECTION_MARK.test(character) &&
    compileRegExp(RIGHT_TO_LEFT, 'u').test(
      text.slice(Math.max(0, offset - 10), offset + 10).replace(/[\u061c\u200e\u200f]/g, ''),
    )
  );
}

const DIRECTION_MARK = /[\u061c\u200e\u200f]/;

/** A mark has the scripts that it is for, so it must not be tested itself. */
const RIGHT_TO_LEFT = toScriptClass('Hebr Arab Syrc Thaa Nkoo Mand Adlm');
