/** Counts code points. */

/** The number of code points, without an array of them, which takes 16 times the memory of the text. */
export const countCodePoints = (text: string): number => text.replace(/[\ud800-\udbff](?=[\udc00-\udfff])/g, '').length;
