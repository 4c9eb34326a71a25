import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleCode } from '../../../src/code/bundle/bundle.ts';
import { describeUnresolved } from '../../../src/code/bundle/unresolved.ts';
import { folderWith } from '../../helpers/folders.ts';

const IMPORT = {
  specifier: 'left-pad',
  isRequire: false,
  isPackageFile: false,
  isAlias: false,
  isInstalled: false,
  missingBase: undefined,
  isOptional: false,
};

describe('an import that cannot be resolved', () => {
  it.each<[string, Partial<Parameters<typeof describeUnresolved>[0]>, string, string]>([
    ['can be installed or provided', {}, 'error', 'npm install left-pad; or, if the service provides it, load it with'],
    ['of a package can be installed', { isPackageFile: true }, 'error', 'Run: npm install left-pad'],
    ['is installed by the name of its package', { specifier: '@a/b/c' }, 'error', 'npm install @a/b;'],
    ['may be relative', { specifier: './a' }, 'error', 'Check the path.'],
    ['may be of package.json', { specifier: '#a' }, 'error', 'Check "imports" in package.json.'],
    ['may be an alias', { isAlias: true }, 'error', 'Check "paths" in tsconfig.json.'],
    ['may be defined elsewhere', { missingBase: '../base.json' }, 'error', 'Restore "../base.json"'],
    ['may not be exported', { isInstalled: true }, 'error', 'Check what the package "left-pad" exports.'],
    ['may be no name', { specifier: 'Left Pad' }, 'error', 'no package can have this name'],
    ['stays if it is a require', { isRequire: true }, 'warning', 'To bundle it, run: npm install left-pad'],
    ['stays if package.json expects it', { isRequire: true, isOptional: true }, 'note', 'To bundle it'],
    ['stays not if it is an alias', { isRequire: true, isAlias: true }, 'error', 'Check "paths"'],
    ['stays not if the package has no such file', { isRequire: true, isInstalled: true }, 'error', 'Check what'],
    ['stays not if it is a path', { isRequire: true, specifier: '../a' }, 'error', 'Check the path.'],
  ])('%s', (_, found, level, fix) => {
    expect(describeUnresolved({ ...IMPORT, ...found })).toMatchObject({ level, fix: expect.stringContaining(fix) });
  });

  it('stays in the bundle with its position if it is a require', async () => {
    const root = folderWith({
      '.git/HEAD': '',
      'package.json': '{"peerDependencies":{"peer":"1"}}',
      'a/lib.ts': "export const peer = require('peer/x');\n",
      'a/code.ts': `import { peer } from './lib';
const service = require('@acme/service');
let optional;
try { optional = require('optional'); } catch {}
export default async () => ({ raw: service(peer, optional) });
`,
    });
    const { bundle, problems } = await bundleCode(join(root, 'a'), 'code.ts');
    expect(bundle?.code).toContain('require("@acme/service")');
    expect(bundle?.code).toContain('require("peer/x")');
    expect(problems.map(({ file, line, column, level }) => `${file}:${line}:${column} ${level}`)).toEqual([
      'code.ts:2:25 warning',
      'lib.ts:1:29 note',
    ]);
  });

  it('is an error if it is an import', async () => {
    const code = "import a from 'alpha';\nconst b = require('beta');\nexport default async () => a(b);\n";
    const { bundle, problems } = await bundleCode(folderWith({ '.git/HEAD': '', 'code.ts': code }), 'code.ts');
    expect(bundle).toBeUndefined();
    expect(problems.map(({ line, level }) => `${line} ${level}`)).toEqual(['1 error', '2 warning']);
  });

  it('shows the missing settings that may define it', async () => {
    const root = folderWith({
      '.git/HEAD': '',
      'a/tsconfig.json': '{ "extends": "../base.json" }',
      'a/code.ts': "import { hi } from '@lib/hi';\nexport default async () => hi();\n",
    });
    const { problems } = await bundleCode(join(root, 'a'), 'code.ts');
    expect(problems).toMatchObject([
      { file: 'code.ts', level: 'error', fix: expect.stringContaining('../base.json') },
      { file: 'tsconfig.json', level: 'warning' },
    ]);
  });

  it('is reported to the file watcher, with all possible files', async () => {
    const root = folderWith({
      '.git/HEAD': '',
      'a/code.ts': "import x from '../lib/x';\nimport z from 'pkg';\nexport default async () => x(z);\n",
    });
    const files: string[] = [];
    await bundleCode(join(root, 'a'), 'code.ts', { excludedFolders: [], onRead: (file) => files.push(file) });
    expect(files).toEqual(expect.arrayContaining(['lib/x.ts', 'lib/x/index.js'].map((file) => join(root, file))));
    expect(files.filter((file) => file.includes('pkg'))).toEqual([]);
  });
});
