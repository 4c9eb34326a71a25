/** What no import, link, or setting of a repository brings into a bundle, or into a message about it. */
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFolder } from '../../../src/check/check-folder.ts';
import { computerWith, type Files, importing, initGit, SECRET } from '../../helpers/computer.ts';

const REPO: Files = {
  'repo/.env': `KEY = '${SECRET}'\n`,
  'repo/.npmrc': `//registry/:_authToken=${SECRET}\n`,
  'repo/.hidden/data.json': JSON.stringify(SECRET),
  'repo/formulas/card/tests/cards.json': JSON.stringify(SECRET),
  'repo/formulas/card/tests/helper.mjs': `export default '${SECRET}';\n`,
  'outside/data.json': JSON.stringify(SECRET),
  'outside/code.js': `module.exports = '${SECRET}';\n`,
  'outside/package.json': `{ "name": "${SECRET}", broken`,
};

const TEXT = " with { type: 'text' }";
const BYTES = " with { type: 'bytes' }";

interface Attack {
  code: string;
  files?: Files;
  prepare?: (top: string) => void;
  /** A part of the error. */
  says: string;
}

const ATTACKS: Record<string, Attack> = {
  'the configuration of git': { code: importing('../../.git/config', TEXT), says: '../../.git/config' },
  'the same as bytes': { code: importing('../../.git/config', BYTES), says: '../../.git/config' },
  'the same with a query': { code: importing('../../.git/config?raw', TEXT), says: '../../.git/config' },
  'the same with a fragment': { code: importing('../../.git/config#x', TEXT), says: '../../.git/config' },
  'the same by a strange path': { code: importing('./..//..//.git/./config', TEXT), says: '../../.git/config' },
  'the same by an absolute path': { code: importing('TOP/repo/.git/config', TEXT), says: '../../.git/config' },
  'the same by a require': {
    code: "export default async () => ({ raw: { x: require('../../.git/config') } });\n",
    says: '../../.git/config',
  },
  'the same by an import()': {
    code: `export default async () => ({ raw: await import('../../.git/config', { with: { type: 'text' } }) });\n`,
    says: '../../.git/config',
  },
  'a file of variables, as code': { code: importing('../../.env'), says: '../../.env' },
  'a file of variables, as text': { code: importing('../../.env', TEXT), says: '../../.env' },
  'data in a dot folder': { code: importing('../../.hidden/data.json'), says: '.hidden/data.json' },
  'data of its tests': { code: importing('./tests/cards.json'), says: 'tests/cards.json' },
  'code of its tests': { code: importing('./tests/helper.mjs'), says: 'tests/helper.mjs' },
  'a link to a dot file': {
    code: importing('./x.txt'),
    prepare: (top) => symlinkSync(`${top}/repo/.env`, `${top}/repo/formulas/card/x.txt`),
    says: '../../.env',
  },
  'a link to the folder of git': {
    code: importing('./vcs/config', TEXT),
    prepare: (top) => symlinkSync('../../.git', `${top}/repo/formulas/card/vcs`),
    says: '../../.git/config',
  },
  'a package that is a link to the repository': {
    code: importing('root/.env'),
    prepare: (top) => linkPackage(top, 'root', '../../..'),
    says: '../../.env',
  },
  'a package that is a link to the folder of git': {
    code: importing('vcs/config', TEXT),
    prepare: (top) => linkPackage(top, 'vcs', '../../../.git'),
    says: '../../.git/config: files and folders',
  },
  'a package that is a link to the tests': {
    code: importing('cards/cards.json'),
    prepare: (top) => linkPackage(top, 'cards', '../tests'),
    says: 'tests/cards.json: the tests',
  },
  'a package that is a link to a folder outside': {
    code: importing('other/data.json'),
    prepare: (top) => linkPackage(top, 'other', `${top}/outside`),
    says: 'outside/data.json: it is outside the repository',
  },
  'a package whose code is a link to a file outside': {
    code: importing('pkg'),
    files: { 'repo/node_modules/pkg/package.json': '{"main":"main.js"}' },
    prepare: (top) => symlinkSync(`${top}/outside/code.js`, `${top}/repo/node_modules/pkg/main.js`),
    says: 'outside/code.js',
  },
  'a package whose package.json is a link to a file outside': {
    code: importing('pkg'),
    files: { 'repo/node_modules/pkg/index.js': '' },
    prepare: (top) => symlinkSync(`${top}/outside/package.json`, `${top}/repo/node_modules/pkg/package.json`),
    says: 'outside/package.json',
  },
  'text of a package': {
    code: importing('pkg/README.md', TEXT),
    files: { 'repo/node_modules/pkg/README.md': SECRET },
    says: 'node_modules/pkg/README.md',
  },
  'a dot file of a package': {
    code: importing('pkg/.env'),
    files: { 'repo/node_modules/pkg/.env': `KEY = '${SECRET}'` },
    says: 'node_modules/pkg/.env',
  },
  'the target of `main` of a package': {
    code: importing('pkg'),
    files: { 'repo/node_modules/pkg/package.json': '{"main":"../../.env"}' },
    says: '../../.env',
  },
  'the target of `main` outside': {
    code: importing('pkg'),
    files: { 'repo/node_modules/pkg/package.json': '{"main":"../../../outside/code.js"}' },
    says: 'outside/code.js',
  },
  'the target of `exports`': {
    code: importing('pkg'),
    files: { 'repo/node_modules/pkg/package.json': '{"exports":"./../../.env"}' },
    says: '"pkg" cannot be found',
  },
  'the target of `exports` with a pattern': {
    code: importing('pkg/..%2f..%2f.env'),
    files: { 'repo/node_modules/pkg/package.json': '{"exports":{"./*":"./*"}}' },
    says: 'cannot be found',
  },
  'the target of `imports`': {
    code: importing('#x', TEXT),
    files: { 'repo/package.json': '{"imports":{"#x":"./.git/config"}}' },
    says: '../../.git/config',
  },
  'the target of `paths` of tsconfig.json': {
    code: importing('@x', TEXT),
    files: { 'repo/tsconfig.json': '{"compilerOptions":{"paths":{"@x":["./.git/config"]}}}' },
    says: '../../.git/config',
  },
  'the target of `baseUrl`': {
    code: importing('outside/data.json'),
    files: { 'repo/tsconfig.json': '{"compilerOptions":{"baseUrl":".."}}' },
    says: 'outside/data.json',
  },
  'settings that tsconfig.json extends': {
    code: importing('./x.mjs'),
    files: { 'repo/tsconfig.json': '{"extends":"../outside/package.json"}' },
    says: 'outside/package.json',
  },
  'settings that tsconfig.json extends by an absolute path': {
    code: importing('./x.mjs'),
    files: { 'repo/tsconfig.json': '{"extends":["/etc/passwd"]}' },
    says: '/etc/passwd',
  },
  'tsconfig.json as a link': {
    code: importing('./x.mjs'),
    prepare: (top) => symlinkSync(`${top}/outside/package.json`, `${top}/repo/tsconfig.json`),
    says: 'outside/package.json',
  },
  'a runtime for JSX': {
    code: importing('./x.jsx'),
    files: {
      'repo/formulas/card/x.jsx': 'export default () => <a />;\n',
      'repo/tsconfig.json': '{"compilerOptions":{"jsx":"react-jsx","jsxImportSource":"../../../../outside"}}',
    },
    says: 'jsx-runtime',
  },
  'a URL of a file': { code: importing('file:///etc/passwd', TEXT), says: '"file:///etc/passwd" cannot be found' },
  'a file by way of a data URL': {
    code: importing(`data:text/javascript,export { default } from ${encodeURIComponent("'../../.git/config'")}`),
    says: '.git/config',
  },
  'a file by way of a style sheet in a data URL': {
    code: importing('data:text/css,/*# sourceMappingURL=file:///etc/passwd */'),
    says: 'the type of a data: URL must be text/javascript or application/json (got "text/css")',
  },
  'the tables of Yarn with a folder outside': {
    code: importing('other/data.json'),
    files: { 'repo/.pnp.data.json': pnpTable('../outside/') },
    says: 'outside/data.json: it is outside the repository',
  },
  'the tables of Yarn with the folder of git': {
    code: importing('other/config', TEXT),
    files: { 'repo/.pnp.data.json': pnpTable('./.git/') },
    says: '../../.git/config: files and folders',
  },
};

function linkPackage(top: string, name: string, target: string): void {
  mkdirSync(join(top, 'repo/formulas/card/node_modules'));
  symlinkSync(target, join(top, 'repo/formulas/card/node_modules', name));
}

function pnpTable(packageLocation: string): string {
  const project = { packageLocation: './', packageDependencies: [['other', 'npm:1.0.0']] };
  const other = { packageLocation, packageDependencies: [] };
  return JSON.stringify({
    packageRegistryData: [
      [null, [[null, project]]],
      ['other', [['npm:1.0.0', other]]],
    ],
  });
}

describe('a bundle never contains', () => {
  it.each(Object.entries(ATTACKS))('%s', async (_, { code, files, prepare, says }) => {
    const computer = computerWith('', { ...REPO, ...files }, prepare);
    writeFileSync(join(computer.card, 'code.mjs'), code.replace('TOP', computer.top));
    const { code: bundled, errors, shown } = await computer.bundle();
    expect(bundled).toBeUndefined();
    expect(errors.join('\n')).toContain(says);
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain('root:');
  });

  it('settings from outside, which the file that extends them names', async () => {
    const files = { ...REPO, 'repo/tsconfig.json': '{\n  "extends": "../outside/package.json"\n}' };
    const { errors } = await computerWith('export default 1;', files).bundle();
    expect(errors).toEqual([
      expect.stringMatching(/^\.\.\/\.\.\/tsconfig\.json:2:14 cannot extend .*outside\/package\.json/),
    ]);
  });

  it('files of a source map reference, which is not read', async () => {
    const map = (sources: string[]) =>
      Buffer.from(JSON.stringify({ version: 3, sources, mappings: 'AAAA' })).toString('base64');
    const computer = computerWith('', REPO);
    for (const url of [
      '../../.git/config',
      'file:///dev/zero',
      `file://${computer.top}/outside/data.json`,
      `data:application/json;base64,${map([`file://${computer.top}/outside/data.json`])}`,
    ]) {
      const call = `export default async () => ({ raw: { at: '//# sourceMappingURL=x' } });\n//# sourceMappingURL=${url}\n`;
      writeFileSync(join(computer.card, 'code.mjs'), call);
      const { code, errors, notes, shown } = await computer.bundle();
      expect({ errors, notes }).toEqual({ errors: [], notes: [] });
      expect(code).toContain('at: "//# sourceMappingURL=x"');
      expect(shown).not.toContain(SECRET);
    }
  });

  it('data that git ignores, which no message quotes', async () => {
    const ignored = {
      'repo/.gitignore': 'local.json\nbroken.json\n',
      'repo/formulas/local.json': JSON.stringify(SECRET),
      'repo/formulas/broken.json': `{ ${SECRET}`,
    };
    for (const name of ['../local.json', '../broken.json', '../local.json?x', 'TOP/repo/formulas/local.json']) {
      const computer = computerWith('', ignored, initGit);
      writeFileSync(join(computer.card, 'code.mjs'), `\n${importing(name.replace('TOP', computer.top))}`);
      const { code, errors, shown } = await computer.bundle();
      expect(code).toBeUndefined();
      expect(errors).toEqual([expect.stringMatching(/^code\.mjs:2:\d+ cannot bundle \.\.\/\w+\.json: git ignores it/)]);
      expect(shown).not.toContain(SECRET);
    }
  });

  it('files that git ignores and the code imports as data, whatever their names are', async () => {
    const files = {
      'repo/.gitignore': 'id_rsa\nlocal.js\n',
      'repo/formulas/id_rsa': SECRET,
      'repo/formulas/local.js': `module.exports = '${SECRET}';`,
    };
    for (const name of ['../id_rsa', '../local.js'])
      for (const type of name.endsWith('.js') ? [TEXT, BYTES] : [TEXT, BYTES, '']) {
        const { errors, shown } = await computerWith(importing(name, type), files, initGit).bundle();
        expect(errors).toEqual([expect.stringContaining('git ignores it, and it is not code')]);
        expect(shown).not.toContain(SECRET);
      }
    expect((await computerWith(importing('../local.js'), files, initGit).bundle()).errors).toEqual([]);
  });

  it.each(['.hg', '.svn'])('ignored data next to a folder %s, which git can contain', async (name) => {
    for (const folder of ['repo/formulas', 'repo/formulas/card']) {
      const files = {
        'repo/.gitignore': 's.json\n',
        [`${folder}/s.json`]: `"${SECRET}"`,
        [`${folder}/${name}/keep`]: '',
      };
      const path = folder.endsWith('card') ? './s.json' : '../s.json';
      const { errors } = await computerWith(importing(path), files, initGit).bundle();
      expect(errors).toEqual([expect.stringContaining('git ignores it, and it is not code')]);
    }
  });

  it('data that git does not track yet without a warning', async () => {
    const files = { 'repo/formulas/card/rates.json': '1' };
    const { errors, notes } = await computerWith(importing('./rates.json'), files, initGit).bundle();
    expect(errors).toEqual([]);
    expect(notes).toEqual(['code.mjs:1:15 the code contains rates.json, which git does not track yet']);
    const add = (top: string) => {
      initGit(top);
      execFileSync('git', ['add', '.'], { cwd: join(top, 'repo'), env: { PATH: '/usr/bin:/bin', HOME: top } });
    };
    expect((await computerWith(importing('./rates.json'), files, add).bundle()).notes).toEqual([]);
  });

  it('a link to a file that git ignores in place of code, manifest, or icon', async () => {
    for (const name of ['code.mjs', 'manifest.json', 'icon.png']) {
      const files = { 'repo/.gitignore': 'secrets\n', 'repo/secrets': SECRET };
      const computer = computerWith(importing('node:fs'), files, (top) => {
        initGit(top);
        rmSync(join(top, 'repo/formulas/card', name), { force: true });
        symlinkSync('../../secrets', join(top, 'repo/formulas/card', name));
      });
      const result = await checkFolder({ displayPath: 'card', path: computer.card });
      expect(JSON.stringify(result.findings)).toContain('it is a link to a file that git ignores');
      expect(JSON.stringify([result, [...result.texts]])).not.toContain(SECRET);
    }
  });

  it('ignored data of a linked package, unless it is in a folder that git ignores as a whole', async () => {
    const files: Files = {
      'repo/.gitignore': 'secrets.json\ndist/\n',
      'repo/packages/tools/package.json': '{"name":"tools"}',
      'repo/packages/tools/secrets.json': JSON.stringify(SECRET),
      'repo/packages/tools/dist/rates.json': '1.5',
    };
    const prepare = (top: string) => {
      initGit(top);
      linkPackage(top, 'tools', '../../../packages/tools');
    };
    expect((await computerWith(importing('tools/dist/rates.json'), files, prepare).bundle()).errors).toEqual([]);
    const refused = await computerWith(importing('tools/secrets.json'), files, prepare).bundle();
    expect(refused.errors).toEqual([expect.stringContaining('git ignores it')]);
    expect(refused.shown).not.toContain(SECRET);
  });

  it('data if git cannot determine whether it is ignored', async () => {
    const { errors } = await computerWith(importing('../local.json'), { 'repo/formulas/local.json': '1' }, (top) => {
      initGit(top);
      writeFileSync(join(top, 'repo/.git/config'), '[broken');
    }).bundle();
    expect(errors).toEqual([expect.stringContaining('git check-ignore failed')]);
  });

  it.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a device', (path: string) => symlinkSync('/dev/zero', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('%s instead of code, package.json, or tsconfig.json', async (_, make) => {
    for (const name of ['x.mjs', 'package.json', 'tsconfig.json', '.pnp.cjs']) {
      const computer = computerWith(importing('./x.mjs'), { 'repo/formulas/card/x.mjs': 'export default 1;\n' });
      rmSync(join(computer.card, name), { force: true });
      make(join(computer.card, name));
      const { code, errors } = await computer.bundle();
      // A folder of this name is not a package.json.
      if (errors.length === 0) expect(code).toContain('module.exports');
      else expect(errors.join()).toMatch(/it is a pipe|outside the repository|cannot be found/);
    }
  });

  it('but it may contain files that a package manager linked with hard links', async () => {
    const files = { 'store/index.js': 'module.exports = 1;\n', 'repo/node_modules/pkg/package.json': '{}' };
    const link = (top: string) => linkSync(`${top}/store/index.js`, `${top}/repo/node_modules/pkg/index.js`);
    expect((await computerWith(importing('pkg'), files, link).bundle()).errors).toEqual([]);
  });
});
