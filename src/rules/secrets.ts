/** The rule about keys and tokens in the code, the manifest, or tests. */
import type { StringLiteral } from '../code/ast/string-literals.ts';
import type { Bundle } from '../code/bundle/bundle.ts';
import { isSecretName } from '../text/secret-names.ts';
import { codePositionAt, createPositionLookup } from '../text/source-position.ts';
import { once, type Rule, type RuleFinding, type Subject } from './rule.ts';
import { findKnownSecrets, isHighEntropy, looksRandom, type Secret } from './secret-patterns.ts';

type FileSecrets = [file: string, text: string, secrets: Secret[]];

/** Larger code is not searched, because each match takes more memory than its key. */
const MAX_CHARACTERS = 5_000_000;

/** The likely secrets of a formula, by file. */
const getSecrets = once(({ manifest, code, contents }: Subject): FileSecrets[] => [
  ...(manifest ? [mergeSecrets('manifest.json', manifest.text, findRandomWords(manifest.text))] : []),
  ...(code && code.text.length <= MAX_CHARACTERS
    ? [mergeSecrets(code.file, code.text, findRandomStrings(code.facts.analysis?.stringLiterals ?? []))]
    : []),
  // Tests have expected signatures and other random data, so only known patterns count.
  ...contents.tests.flatMap((test): FileSecrets[] => {
    const text = test.state === 'read' && test.bytes.length <= MAX_CHARACTERS ? test.bytes.toString('utf8') : '';
    return text ? [mergeSecrets(test.file, text, [])] : [];
  }),
]);

/** Known patterns first; a match that overlaps with one of them is the same secret. */
function mergeSecrets(file: string, text: string, random: readonly Secret[]): FileSecrets {
  const merged: Secret[] = [];
  for (const secret of [...findKnownSecrets(text), ...random].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (!last || last.end <= secret.start) merged.push({ ...secret });
    else last.end = Math.max(last.end, secret.end);
  }
  return [file, text, merged];
}

const findRandomWords = (text: string): Secret[] =>
  [...text.matchAll(/[A-Za-z0-9+/_-]{32,}={0,2}/g)]
    .filter(([word]) => isHighEntropy(word))
    .map(({ index, 0: word }) => ({ what: 'a key or token', start: index, end: index + word.length }));

/** Names of values that are random but not secret. */
const PUBLIC_NAME =
  /hash|digest|checksum|integrity|sha\d|md5|fingerprint|signature|expected|vector|nonce|salt|public|cert|icon|image|logo|etag|id$|ids$|alphabet|chars|name$|url$/i;

const findRandomStrings = (literals: readonly StringLiteral[]): Secret[] =>
  literals
    .filter(({ value, name }) => !PUBLIC_NAME.test(name) && (isSecretName(name) ? looksRandom : isHighEntropy)(value))
    .map(({ start, end }) => ({ what: 'a key or token', start, end }));

/** The texts of a formula, or the sources of its bundle, with secrets blanked out; lines and columns stay the same. */
export function redactTexts(subject: Subject, bundle: Bundle | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [file, text, secrets] of getSecrets(subject)) {
    if (file !== bundle?.file) texts.set(file, redact(text, secrets));
    const values = secrets.map(({ start, end }) => text.slice(start, end));
    // The offsets are those of the bundle, so the values are searched in the sources.
    for (const [source, original] of file === bundle?.file ? bundle.sources : []) {
      const redacted = redact(original, findKnownSecrets(original));
      texts.set(
        source,
        values.reduce((shown, value) => shown.replaceAll(value, mask), redacted),
      );
    }
  }
  return texts;
}

function redact(text: string, secrets: readonly Secret[]): string {
  const ends = [0, ...secrets.map(({ end }) => end)];
  const parts = secrets.map(({ start, end }, i) => text.slice(ends[i], start) + mask(text.slice(start, end)));
  return parts.join('') + text.slice(ends.at(-1));
}

const mask = (value: string) => value.replace(/[^\r\n\u2028\u2029]/g, '*');

export const secretRules: readonly Rule[] = [
  {
    id: 'secret-in-code',
    level: 'warning',
    description: 'The code, manifest.json, or tests/*.json contain a likely key or token; its value is not shown.',
    check: (subject) =>
      getSecrets(subject).flatMap(([file, text, secrets]) => {
        if (secrets.length === 0) return [];
        const isJson = file.endsWith('.json');
        const locate = isJson ? createPositionLookup(text) : (offset: number) => codePositionAt(text, offset);
        return secrets.map(({ what, start }): RuleFinding => {
          const isTest = file.startsWith('tests/');
          const message = `this looks like ${what}; everyone who can read the ${isTest ? 'repository' : 'formula'} can read it`;
          const fix = isJson
            ? `Remove it from the ${isTest ? 'test' : 'manifest'}, and replace the secret.`
            : 'Read it from a setting in configuration, and replace the secret.';
          return { file, ...locate(start), message, fix };
        });
      }),
  },
];
