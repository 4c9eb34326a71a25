/** Bundles of a folder in which some files have other contents, or do not exist. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleCode } from '../../../src/code/bundle/bundle.ts';
import { folderWith } from '../../helpers/folders.ts';

const FILES = {
  '.git/HEAD': '',
  'card/code.ts': "import { text } from '../lib/text';\nexport default async () => ({ raw: text });\n",
  'lib/text.ts': "export const text = 'disk';\n",
};

async function bundle(root: string, changed: Record<string, string | undefined>, folder = 'card') {
  const entries = Object.entries(changed).map(([file, text]) => [join(root, file), text && Buffer.from(text)] as const);
  const result = await bundleCode(join(root, folder), 'code.ts', {
    excludedFolders: [],
    changed: new Map(entries) as Map<string, Buffer | undefined>,
  });
  return result.bundle?.code ?? result.problems[0]?.message;
}

describe('a bundle with files that replace those on the disk', () => {
  it.each<[string, Record<string, string | undefined>, RegExp]>([
    ['contains their contents', { 'lib/text.ts': "export const text = 'before';" }, /"before"/],
    [
      'contains a file that the disk does not have, in place of one that is hidden',
      { 'lib/text.ts': undefined, 'lib/text/index.ts': "export const text = 'before';" },
      /"before"/,
    ],
    ['does not contain a hidden file', { 'lib/text.ts': undefined }, /lib\/text/],
    [
      'lists them for a computed path',
      {
        'card/code.ts': "export default async (q) => ({ raw: require('../lib/' + q.args.name + '.ts') });\n",
        'lib/text.ts': undefined,
        'lib/new.ts': "export const text = 'before';",
      },
      /"before"/,
    ],
    ['reads no dot file', { 'card/code.ts': "import '../.env.ts';", '.env.ts': 'secret' }, /dot are never bundled/],
  ])('%s', async (_, changed, expected) => {
    expect(await bundle(folderWith(FILES), changed)).toMatch(expected);
  });

  it('may be of a folder that no longer exists', async () => {
    const root = folderWith({ '.git/HEAD': '' });
    expect(await bundle(root, FILES)).toMatch(/"disk"/);
  });
});
