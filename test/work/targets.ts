/** What reads texts of strangers, each as a function of one text; bundled for the process that counts its work. */

import { checkFormula } from '../../src/check/check-formula.ts';
import { readCode } from '../../src/code/code-facts.ts';
import { identifyIcon } from '../../src/folder/icon.ts';
import { parseLock } from '../../src/folder/lockfile.ts';
import { revealed, revealedCode, visibleLines } from '../../src/output/escape.ts';
import { textDiff } from '../../src/output/text-diff.ts';
import { knownSecrets } from '../../src/rules/secret-patterns.ts';
import { parseCases } from '../../src/run/cases.ts';
import { decodeText } from '../../src/text/decode-utf8.ts';
import { parseLocatedJson } from '../../src/text/json-with-positions.ts';

const MANIFEST = '{"name":"a","type":"private","configuration":[],"request_parameters":[]}';
const CODE = 'module.exports = async (request) => ({ raw: request });';

const read = (file: string, text: string) => ({ state: 'read' as const, file, bytes: Buffer.from(text) });

const check = (manifest: string, code: string) =>
  checkFormula({
    folder: 'folder',
    entries: ['code.js', 'manifest.json'].map((name) => ({ name, kind: 'file' })),
    manifest: read('manifest.json', manifest),
    code: read('code.js', code),
    icons: [],
  });

const plain = (text: string) => text;
const PLAIN = { error: plain, warning: plain, good: plain, faint: plain, strong: plain };

export const targets: Record<string, (text: string) => unknown> = {
  code: readCode,
  codeRules: (text) => check(MANIFEST, text),
  manifest: (text) => check(text, CODE),
  json: parseLocatedJson,
  cases: parseCases,
  lock: (text) => {
    try {
      parseLock(text, 'formulas.lock.json');
    } catch {
      // Refused, which is fine.
    }
  },
  icon: (text) => identifyIcon(Buffer.from(text, 'latin1')),
  decode: (text) => decodeText(Buffer.from(text, 'latin1')),
  secrets: knownSecrets,
  escape: visibleLines,
  reveal: (text) => revealed(text) + revealedCode(text),
  /** From what is before a form feed to what is after it. */
  diff: (text) => {
    const [from = '', to = ''] = text.split('\f');
    return textDiff({ from: 'a', to: 'b' }, from, to, PLAIN);
  },
};
