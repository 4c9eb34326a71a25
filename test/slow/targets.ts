/** What reads texts of strangers, each as a function of one text; bundled for the process that counts its work. */
import { checkFormula } from '../../src/check/check-folder.ts';
import { inspectCode } from '../../src/code/code-facts.ts';
import { identifyIcon } from '../../src/folder/icon.ts';
import { parseLockfile } from '../../src/folder/lockfile.ts';
import { escapeControlsByLine, escapeInvisible, escapeInvisibleInCode } from '../../src/output/escape.ts';
import { formatDiff } from '../../src/output/text-diff.ts';
import { findKnownSecrets } from '../../src/rules/secret-patterns.ts';
import { parseTests } from '../../src/run/cases/parse-tests.ts';
import { decodeUtf8 } from '../../src/text/decode-utf8.ts';
import { parseJsonWithPositions } from '../../src/text/json-with-positions.ts';

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
    tests: [],
  });

const plain = (text: string) => text;
const PLAIN = { error: plain, warning: plain, good: plain, faint: plain, strong: plain };

export const targets: Record<string, (text: string) => unknown> = {
  code: inspectCode,
  codeRules: (text) => check(MANIFEST, text),
  manifest: (text) => check(text, CODE),
  json: parseJsonWithPositions,
  cases: parseTests,
  lock: (text) => {
    try {
      parseLockfile(text, 'formulas.lock.json');
    } catch {
      // Refused, which is fine.
    }
  },
  icon: (text) => identifyIcon(Buffer.from(text, 'latin1')),
  decode: (text) => decodeUtf8(Buffer.from(text, 'latin1')),
  secrets: findKnownSecrets,
  escape: escapeControlsByLine,
  reveal: (text) => escapeInvisible(text) + escapeInvisibleInCode(text),
  /** From what is before a form feed to what is after it. */
  diff: (text) => {
    const [from = '', to = ''] = text.split('\f');
    return formatDiff({ from: 'a', to: 'b' }, from, to, PLAIN);
  },
};
