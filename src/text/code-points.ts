/** Counts code points. */

/** The number of code points, without an array of them, which takes 16 times the memory of the text. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++)
    if (isLowSurrogate(text.charCodeAt(i)) && isHighSurrogate(text.charCodeAt(i - 1))) count -= 1;
  return count;
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit < 0xe000;
