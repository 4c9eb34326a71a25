/** What no output may hold: characters that drive a terminal, or turn the order of what is read. */
import assert from 'node:assert/strict';

/** All control characters but line feed and tab, marks of direction, line separators, halves of pairs. */
const UNSAFE = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u;

/** CR LF ends the lines of csv. */
export const assertSafe = (text, told) => assert.doesNotMatch(text.replaceAll('\r\n', '\n'), UNSAFE, told);
