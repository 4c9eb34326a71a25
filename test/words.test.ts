/**
 * Words that users stumble over may not come back: in messages, help, documents, templates, and test titles. Each pattern has
 * its standard term. A word in code, such as a JSON key, is not checked in documents.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, type Token } from 'acorn';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

const DIALECT: readonly [pattern: RegExp, standard: string][] = [
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bwanted (is|are)\b/i, 'must be, expected'],
  [/\bexactly so\b|\bcase and all\b/i, 'case-sensitive'],
  [/\bbase address(es)?\b/i, 'base URL'],
  [/\banswer(s|ed|ing)?\b/i, 'response, output, returned'],
  [/\bof no use\b/i, 'unusable, lost'],
  [/\ba look\b|\blooks? (with|at|whether)\b|\blooked at\b/i, 'check'],
  [/\b(was|were|been) done\b/i, 'succeeded, completed'],
  [/\btypes? (the|that|a) (command|same|word)|\bcan be typed\b/i, 'run, usage'],
  [/\bany ?more\b|\banew\b|\bafresh\b/i, 'no longer, again, new'],
  [/\b(this|the) machine\b/i, 'this computer'],
  [/\b(left|leaves?|leaving) alone\b/i, 'skip'],
  [/\b(go|goes|going|went) on\b/i, 'continue'],
  [/\bnever asks?\b|\bnobody to ask\b|\bis asked for\b|\bunless told\b/i, 'prompt'],
  [/\bkept (key|address)\b|\bkeeps? a key\b/i, 'saved key'],
  [/\bforg[eo]t(s|ten|ting)?\b/i, 'remove, unlink'],
  [/\bputs? back\b/i, 'restore'],
  [/\bvoid\b/i, 'revoked, invalid'],
  [/\btakes? turns\b|\b(a|its|no|whose) turn\b/i, 'write lock'],
  [/\bflawless\b/i, 'valid'],
  [/\broads?\b/i, 'route'],
  [/\bh(old|eld)s?\b[^.;]*\bagainst\b/i, 'validate against, compare with'],
  [/\bhand(s|ed)? (on|over)\b|\bpassed over\b/i, 'passed through, skipped'],
  [/\b(stands?|stood)\b(?!-)/i, 'is, appears'],
  [/\bbesides?\b/i, 'next to, in addition to'],
  [/, else\b|\b(all|or) else\b/i, 'otherwise'],
  [/(?<!no )\bsuch\b(?! as\b)/i, 'like this'],
  [/\bso many\b|\bas given\b/i, 'number of, maximum'],
  [/\bfor instance\b|\bfurther\b/i, 'for example, additional'],
  [/\bleads? (to|nowhere|elsewhere|out)\b|\bled (to|out)\b/i, 'points to, redirects to'],
  [/\brights\b/i, 'permissions'],
  [/\bbeats\b|\bexcludes? each other\b|\bleave one of\b/i, 'takes precedence over, cannot be used together'],
  [/\bwho(ever)? runs\b/i, 'the service operator'],
  [/\bdivided by\b/i, 'separated by'],
  [/\bfaults?\b/i, 'bug, error'],
  [/\bmisspelt\b|\bcolours?\b|\blicences?\b|\bbehaviours?\b/i, 'US spelling'],
  [/\b(says|said)\b/i, 'contains, reports, shows'],
  [/\bma(ke|kes|de) (an? |the )?(formula|folder|application|profile)\b/i, 'create'],
  [/\bnames? (a|the) (file|folder|place)\b/i, 'specify'],
  [/\ball that\b|\bwhat (is|are|was|were) (named|left|there|no|not|new|gone)\b/i, 'name the noun'],
  [/(?<!there )\b(is|are|was|were) no (?!longer\b|more\b)/i, 'is not a'],
  [/\bcut (off|short)\b/i, 'truncated'],
  [/\btrying out\b/i, 'local testing'],
  [/\breckon|\bborne\b|\bcopes? with\b|\bbears? what\b/i, 'counts, tolerates'],
  [/\bwants\b/i, 'requires, expects'],
  [/\bt(ell|ells|old) apart\b/i, 'distinguish'],
  [/\bwithout end\b|\bonce more\b/i, 'endless, again'],
  [/\bnowhere\b/i, 'name the place'],
];

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Files under a folder with one of the extensions, without installed packages. */
const find = (folder: string, extension: RegExp) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => extension.test(name) && !/node_modules|\/generated\//.test(name));

/** Strings and template parts that contain a space, so that no identifier is checked. */
async function readMessages(file: string): Promise<string[]> {
  const messages: string[] = [];
  const code = /\.c?js$/.test(file) ? read(file) : (await transform(read(file), { loader: 'ts' })).code;
  // Parsing takes most of the time: first, the words are searched in all of the code, without escapes and the operator void.
  if (!ANY.test(code.replace(/\\.|\bvoid (0|[\w.]+\()/g, ' '))) return [];
  parse(code, {
    ecmaVersion: 'latest',
    sourceType: file.endsWith('.cjs') ? 'script' : 'module',
    onToken: (token) => {
      const { type, value } = token as Token & { value?: unknown };
      const isText = type.label === 'string' || type.label === 'template';
      if (isText && typeof value === 'string' && /\S\s+\S/.test(value)) messages.push(value);
    },
  });
  return messages;
}

/** Paragraphs, list items, and table rows, without code. */
const readProse = (file: string) =>
  read(file)
    .replace(/^```.*?^```/gms, '')
    .replace(/`[^`\n]*`/g, '`')
    .split(/\n\n|\n(?=[-|#])/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' '));

/** Titles of tests, and of groups of tests. */
const readTitles = (file: string) =>
  [
    ...read(file).matchAll(
      /(?:\b(?:it|test|describe)(?:\.\w+\b)*(?:\(|\([^\n]*\)\()|^ *[\])]?\)\()\s*(['"`])((?:\\.|(?!\1).)*?)\1,/gm,
    ),
  ].map(([, , title = '']) => title);

const DOCUMENTS = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench/results.md',
  ...find('docs', /\.md$/).filter((file) => file !== 'docs/commands.md'),
];

const TEXTS: Record<string, [files: readonly string[], read: (file: string) => readonly string[] | Promise<string[]>]> =
  {
    'messages of src': [find('src', /\.(ts|mjs|cjs)$/), readMessages],
    'templates and examples': [
      [...find('src/templates', /\.ts$/), ...find('formulas-example', /\.(json|ts|js|mjs)$/)],
      (file) => read(file).split('\n'),
    ],
    help: [['docs/commands.md'], (file) => read(file).split('\n')],
    documents: [DOCUMENTS, readProse],
    errors: [['test/fixtures/errors.txt'], (file) => read(file).split('\n')],
    'the page of the workbench': [['src/dev/page/page.html'], (file) => read(file).split('\n')],
    'action.yml': [['action.yml'], (file) => read(file).split('\n')],
    'test titles': [find('test', /\.(test|browser)\.ts$/), readTitles],
  };

describe('dialect words', () => {
  it.each(Object.entries(TEXTS))('do not appear in %s', async (_, [files, readTexts]) => {
    expect(files).not.toEqual([]);
    const found = await Promise.all(
      files.map(async (file) =>
        (await readTexts(file)).flatMap((text) => findDialect(text).map((word) => `${file}: ${word}`)),
      ),
    );
    expect(found.flat()).toEqual([]);
  });

  it('are found in a message', () => {
    expect(findDialect('mend what is named above')).toHaveLength(2);
    expect(findDialect('Fix the errors above.')).toEqual([]);
  });
});

/** All patterns in one, which is faster for the many strings without a match. */
const ANY = new RegExp(DIALECT.map(([{ source }]) => `(?:${source})`).join('|'), 'i');

const findDialect = (text: string) =>
  (ANY.test(text) ? DIALECT : []).flatMap(([pattern, standard]) => {
    const match = pattern.exec(text);
    const start = Math.max(0, (match?.index ?? 0) - 50);
    return match ? [`"${match[0]}" (standard: ${standard}) in: ${text.slice(start, start + 120).trim()}`] : [];
  });
