/** Whether a text looks as if a machine had drawn it: a key or a token, and no word, name or sample. */

/** Samples and placeholders, in whatever they stand. */
const SAMPLE =
  /example|sample|test|dummy|fake|mock|placeholder|your|change.?me|insert|replace|redacted|todo|secret|password|foobar|lorem|xxxx|\.\.\.|<|\$\{|\{\{|\*\*/i;

/** True for what stands where a key would be, and is none. */
export const isSample = (text: string): boolean =>
  SAMPLE.test(text) || hasRun(text) || new Set(text).size < Math.min(8, text.length);

/** `12345`, `abcdef`, `aaaa`: nobody draws those. */
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

/** Bits a character: about 4 for 32 hexadecimal digits, 3 or less for words. */
function measureEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** How often letters and digits, and small and large letters, take turns; a word that begins large is no turn. */
function measureClassChanges(text: string): number {
  const letters = text.replace(/[^A-Za-z0-9]/g, '');
  const found = letters.match(/[a-z](?=[A-Z])|[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) ?? [];
  return found.length / Math.max(1, letters.length);
}

const TOKEN = /^[A-Za-z0-9+/_.~=-]+$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Shorter texts are never taken for drawn. */
const MIN_RANDOM_LENGTH = 16;

/** True for what is given to a name that promises a secret, and is drawn. */
export const looksRandom = (text: string): boolean =>
  text.length >= MIN_RANDOM_LENGTH &&
  text.length <= 500 &&
  TOKEN.test(text) &&
  !UUID.test(text) &&
  !isSample(text) &&
  measureClassChanges(text) >= 0.2 &&
  measureEntropy(text) >= 3;

/** True for what is drawn beyond doubt, whatever it is given to: long, with letters of both sizes and digits. */
export const isHighEntropy = (text: string): boolean =>
  /^[A-Za-z0-9+/_-]{32,128}={0,2}$/.test(text) &&
  /[a-z]/.test(text) &&
  /[A-Z]/.test(text) &&
  /\d/.test(text) &&
  !isSample(text) &&
  !isEncoded(text) &&
  measureClassChanges(text) >= 0.3 &&
  measureEntropy(text) >= 4.2;

/** Base64 of an image, a certificate or key in DER, a web font, or of plain text. */
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
