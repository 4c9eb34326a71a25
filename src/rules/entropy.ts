/** Whether a string looks random, such as a key or token, not like a word, name, or sample. */
import { isUuid } from '../text/uuid.ts';

/** Samples and placeholders, anywhere in a string. */
const SAMPLE =
  /example|sample|test|dummy|fake|mock|placeholder|your|change.?me|insert|replace|redacted|todo|secret|password|foobar|lorem|xxxx|\.\.\.|<|\$\{|\{\{|\*\*/i;

/** Whether a string is a placeholder for a key. */
export const isSample = (text: string): boolean =>
  SAMPLE.test(text) || hasRun(text) || new Set(text).size < Math.min(8, text.length);

/** `12345`, `abcdef`, `aaaa`: sequences that are not random. */
function hasRun(text: string): boolean {
  let same = 1;
  let rising = 1;
  for (let i = 1; i < text.length; i++) {
    const step = text.charCodeAt(i) - text.charCodeAt(i - 1);
    same = step === 0 ? same + 1 : 1;
    rising = step === 1 ? rising + 1 : 1;
    if (same >= 5 || rising >= 5) return true;
  }
  return false;
}

/** Bits per character: about 4 for 32 hexadecimal digits, 3 or less for words. */
function measureEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** How often the character class changes (lower case, upper case, digit); a capitalized word does not count. */
function measureClassChanges(text: string): number {
  const letters = text.replace(/[^A-Za-z0-9]/g, '');
  const found = letters.match(/[a-z](?=[A-Z])|[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) ?? [];
  return found.length / Math.max(1, letters.length);
}

const TOKEN = /^[A-Za-z0-9+/_.~=-]+$/;

/** Shorter strings never count as random. */
const MIN_RANDOM_LENGTH = 16;

/** Whether a value assigned to a name such as `apiKey` looks random. */
export const looksRandom = (text: string): boolean =>
  text.length >= MIN_RANDOM_LENGTH &&
  text.length <= 500 &&
  TOKEN.test(text) &&
  !isUuid(text) &&
  !isSample(text) &&
  measureClassChanges(text) >= 0.2 &&
  measureEntropy(text) >= 3;

/** Whether a value is certainly random under any name: long, with digits and letters of both cases. */
export const isHighEntropy = (text: string): boolean =>
  /^[A-Za-z0-9+/_-]{32,128}={0,2}$/.test(text) &&
  /[a-z]/.test(text) &&
  /[A-Z]/.test(text) &&
  /\d/.test(text) &&
  !isSample(text) &&
  !isEncoded(text) &&
  measureClassChanges(text) >= 0.3 &&
  measureEntropy(text) >= 4.2;

/** Base64 of an image, a DER certificate or key, a web font, or plain text. */
function isEncoded(text: string): boolean {
  if (
    /^(iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|PHN2Zy|AAAAB3NzaC1|MI[IGHC]|sha\d{3}-|d09GM|AAEAAAA|H4sI|UEsDB|JVBERi0)/.test(
      text,
    )
  )
    return true;
  const bytes = Buffer.from(text, 'base64');
  const plain = bytes.filter((byte) => byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte < 127));
  return plain.length > bytes.length * 0.9;
}
