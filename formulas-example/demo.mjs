/** The main job from end to end on the embedded service: prints each command and its output. npm run demo */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tool = fileURLToPath(new URL('../bin/formulary.js', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'formulary-demo-'));
const env = {
  ...process.env,
  FORMULARY_LOCAL_DATA: join(place, 'service.db'),
  FORMULARY_BASE_URL: '',
  // The user's own history is not changed.
  XDG_STATE_HOME: join(place, 'state'),
};

/** Runs one command, prints it with its output, and ends the demo if it fails. */
function formulary(...words) {
  console.log(`\n$ formulary ${words.map((word) => (/^[\w./-]+$/.test(word) ? word : `"${word}"`)).join(' ')}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [tool, ...words], {
    cwd: place,
    env,
    encoding: 'utf8',
  });
  process.stdout.write(stdout + stderr);
  if (status !== 0) throw new Error(`formulary ${words.join(' ')} exited with ${status}`);
}

/** Replaces a string in a file of the demo's formula. */
function edit(file, from, to) {
  const path = join(place, 'tokenize-card', file);
  const text = readFileSync(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
  console.log(`\n# edited: ${file}`);
  writeFileSync(path, text.replace(from, to));
}

try {
  cpSync(new URL('tokenize-card', import.meta.url), join(place, 'tokenize-card'), { recursive: true });
  console.log('The embedded service stores its data in a temporary file; you need no account.');
  formulary('formula', 'validate', 'tokenize-card');
  formulary('formula', 'create', 'tokenize-card', '--local');
  formulary('formula', 'list', '--local');
  formulary('formula', 'get', 'Tokenize a card', '--local');
  edit('code.js', "['amex'", "['american-express'");
  formulary('formula', 'update', 'Tokenize a card', 'tokenize-card', '--local');
  formulary('formula', 'delete', 'Tokenize a card', '--yes', '--local');
  formulary('formula', 'list', '--local');
  formulary('permissions', 'list', '--application-type', 'expiring', '--local');
} finally {
  rmSync(place, { recursive: true, force: true });
}
