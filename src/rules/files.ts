/** Rules about the files: one code file exists, and texts are UTF-8. */
import { CODE_FILES, type FileRead } from '../folder/read.ts';
import { decodeUtf8 } from '../text/decode-utf8.ts';
import { createFileFinding, createMissingFinding, type Rule, type RuleFinding } from './rule.ts';

function checkEncoding(read: FileRead): RuleFinding[] {
  if (read.state !== 'read') return [];
  const decoded = decodeUtf8(read.bytes);
  if (!('problem' in decoded)) return [];
  const { problem, found, position } = decoded;
  const { line, column } = position;
  const what = problem === 'nul' ? `has ${found}` : `is not UTF-8: ${found}`;
  const message = `${read.file} ${what} (line ${line}, column ${column})`;
  return [{ file: read.file, line, column, message, fix: 'Save the file as UTF-8.' }];
}

export const fileRules: readonly Rule[] = [
  {
    id: 'code-missing',
    level: 'error',
    description: 'The code file is missing, or is not a regular file.',
    check: ({ contents }) =>
      contents.code.state === 'read' || contents.isMisnamed
        ? []
        : [createMissingFinding(contents.code, 'code.js, code.ts, or code.mjs', contents)],
  },
  {
    id: 'code-several',
    level: 'error',
    description: 'The folder contains more than one of code.js, code.mjs, and code.ts.',
    check: ({ contents: { entries } }) => {
      const [first, ...more] = CODE_FILES.filter((name) => entries.some((entry) => entry.name === name));
      return more.map((name) =>
        createFileFinding(name, `${name} is a second code file, in addition to ${first}`, {
          fix: 'Remove one of them.',
        }),
      );
    },
  },
  {
    id: 'encoding',
    level: 'error',
    description:
      'manifest.json, the code, or the name of the folder is not UTF-8 (UTF-16, Latin-1, NUL bytes); a byte order mark is allowed.',
    check: ({ contents: { manifest, code, folder, isMisnamed } }) =>
      isMisnamed
        ? [
            createFileFinding(manifest.file, `the path of the folder must be UTF-8 (got ${folder})`, {
              fix: 'Rename the folder.',
            }),
          ]
        : [manifest, code].flatMap(checkEncoding),
  },
];
