/** esbuild and libsql in installations that are incomplete or broken: what failed, the way out, and the same in doctor. */
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findReinstallCommand } from '../src/host/packages.ts';
import { libsqlError } from '../src/service/store/libsql-error.ts';
import { cardFiles, folderWith } from './helpers/folders.ts';
import { installedTool } from './helpers/installed-tool.ts';
import { runTool } from './helpers/tool-process.ts';

const MODULES = join(import.meta.dirname, '../node_modules');
const PLATFORM = `${process.platform}-${process.arch}`;
const VERSION: string = JSON.parse(readFileSync(join(MODULES, 'esbuild/package.json'), 'utf8')).version;

/** An installed tool with these packages: files by their path in node_modules, or `true` for a copy of a whole package. */
function installation(packages: Record<string, string | true>): string {
  const tool = installedTool();
  for (const [path, content] of Object.entries(packages)) {
    const file = join(tool, 'node_modules', path);
    mkdirSync(dirname(file), { recursive: true });
    if (content === true) cpSync(join(MODULES, path), file, { recursive: true });
    else writeFileSync(file, content);
  }
  return tool;
}

interface Said {
  message: string;
  hint?: string;
}

/** What `validate`, a command with --local, and `doctor` report of the two packages. */
async function reportsOf(tool: string): Promise<{ esbuild: Said; libsql: Said; doctor: Said[] }> {
  const { 'code.js': _, ...rest } = cardFiles();
  const formula = folderWith({ ...rest, 'code.ts': 'export default async () => ({});' });
  const hostOptions = { tool, env: { XDG_DATA_HOME: tool, XDG_STATE_HOME: tool } };
  const [validate, list, doctor] = await Promise.all([
    runTool(['formula', 'validate', formula, '--json'], hostOptions),
    runTool(['formula', 'list', '--local', '--json'], hostOptions),
    runTool(['doctor', '--json'], hostOptions),
  ]);
  const [{ message, fix }] = JSON.parse(validate.out).items[0].findings;
  const { error } = JSON.parse(list.err);
  const items: { check: string; found: string; advice: string }[] = JSON.parse(doctor.out).items;
  return {
    esbuild: { message, hint: fix },
    libsql: { message: error.message, hint: error.hint },
    doctor: items.flatMap(({ check, found, advice }) => (check === 'packages' ? { message: found, hint: advice } : [])),
  };
}

/** Both packages in one row of doctor. */
const reportOf = ({ esbuild, libsql }: { esbuild: Said; libsql: Said }): Said => ({
  message: `${esbuild.message}; ${libsql.message}`,
  hint: [...new Set([esbuild.hint, libsql.hint])].join('\n'),
});

const ESBUILD = 'could not load esbuild, which bundles code.ts and code.mjs: ';
const LIBSQL = 'could not load libsql, which the embedded service needs: ';
const PROGRAM = `@esbuild/${PLATFORM}/bin/esbuild`;
const manifest = (version: string) => JSON.stringify({ version });
const INSTALLED = { [`@esbuild/${PLATFORM}/package.json`]: manifest(VERSION) };
const WITHOUT_NATIVE = { libsql: true, '@neon-rs/load': true, 'detect-libc': true } as const;

/** The name of libsql's native part, which depends on the C library too. */
async function nativePart(): Promise<string> {
  const { libsql } = await reportsOf(installation(WITHOUT_NATIVE));
  return /@libsql\/[\w-]+/.exec(libsql.message)?.[0] ?? '';
}

describe.runIf(process.platform !== 'win32')('an optional package', () => {
  it.each<[string, Record<string, string | true>, esbuild: RegExp, libsql: RegExp]>([
    ['that is not installed', {}, new RegExp(`^@esbuild/${PLATFORM} is not installed$`), /^libsql is not installed$/],
    [
      'of another platform',
      { ...WITHOUT_NATIVE, '@esbuild/sunos-x64/package.json': manifest(VERSION), '@libsql/sunos/package.json': '{}' },
      new RegExp(`^it is installed for sunos-x64, but not for ${PLATFORM}$`),
      /^it is installed for sunos, but not for [\w-]+$/,
    ],
    [
      'of another version, or without its native part',
      { ...WITHOUT_NATIVE, [`@esbuild/${PLATFORM}/package.json`]: manifest('0.1.0') },
      new RegExp(`^@esbuild/${PLATFORM} has version 0\\.1\\.0, but ${VERSION.replaceAll('.', '\\.')} is required$`),
      /^@libsql\/[\w-]+ is not installed$/,
    ],
    [
      'of which a file or a dependency is missing',
      { ...INSTALLED, libsql: true },
      /node_modules\/@esbuild\/.*\/bin\/esbuild is missing$/,
      /^@neon-rs\/load is not installed$/,
    ],
    [
      'that is damaged',
      {
        ...INSTALLED,
        [PROGRAM]: '#!/bin/sh\necho "illegal instruction" >&2; exit 1\n',
        'libsql/index.js': 'let a; let a;',
      },
      /bin\/esbuild ended with exit code 1: illegal instruction$/,
      /^Identifier 'a' has already been declared$/,
    ],
  ])('%s is reported with the command that installs it, also in doctor', async (_, packages, esbuild, libsql) => {
    const tool = installation(packages);
    if (packages[PROGRAM]) chmodSync(join(tool, 'node_modules', PROGRAM), 0o755);
    const reports = await reportsOf(tool);
    expect(reports.esbuild).toEqual({ message: expect.stringContaining(ESBUILD), hint: 'To install it, run: npm ci' });
    expect(reports.esbuild.message.slice(ESBUILD.length)).toMatch(esbuild);
    expect(reports.libsql).toEqual({ message: expect.stringContaining(LIBSQL), hint: 'To install it, run: npm ci' });
    expect(reports.libsql.message.slice(LIBSQL.length)).toMatch(libsql);
    expect(reports.doctor).toEqual([reportOf(reports)]);
  });

  it('that cannot be started or loaded is not reported as missing', async () => {
    const native = `${await nativePart()}/index.node`;
    const part = { [native]: 'no library', [native.replace('index.node', 'package.json')]: '{"main": "index.node"}' };
    const reports = await reportsOf(installation({ ...WITHOUT_NATIVE, ...INSTALLED, [PROGRAM]: '', ...part }));
    expect(reports.esbuild.message).toMatch(/bin\/esbuild is not executable \(EACCES\)$/);
    expect(reports.libsql.message).toMatch(/: .*index\.node.* \(ERR_DLOPEN_FAILED\)$/);
    expect(reports.doctor).toEqual([reportOf(reports)]);
  });
});

describe('libsql that the system cannot load', () => {
  it.each<[string, string, RegExp]>([
    ['Windows without a runtime', 'The specified module could not be found.\r\n\\\\?\\C:\\x\\index.node', /vc_redist/],
    ['an old library', "/lib/libm.so.6: version `GLIBC_2.38' not found (required by /x/index.node)", /newer C library/],
    ['a folder without programs', '/x/index.node: failed to map segment from shared object', /allows programs/],
    ['a damaged file', '/x/index.node: invalid ELF header', /^To install it, run: /],
  ])('gets a working hint: %s', (_, message, hint) => {
    const thrown = Object.assign(new Error(message), { code: 'ERR_DLOPEN_FAILED' });
    const error = libsqlError(thrown);
    expect(error.outcome).toBe('usage');
    expect(error.message).toBe(`${LIBSQL}${message.split('\r')[0]} (ERR_DLOPEN_FAILED)`);
    expect(error.hint).toMatch(hint);
  });
});

describe('the command that installs the packages again', () => {
  it.each<[folder: string, files: string[], command: string]>([
    ['/srv/formulary', ['/srv/formulary/package-lock.json'], 'npm ci'],
    ['/p/node_modules/formulary-cli', ['/p/package.json', '/p/package-lock.json'], 'npm ci --include=optional'],
    ['/p/node_modules/formulary-cli', ['/p/package.json'], 'npm install --include=optional'],
    ['/p/node_modules/formulary-cli', ['/p/package.json', '/p/yarn.lock'], 'yarn install --force'],
    ['/p/node_modules/formulary-cli', ['/p/yarn.lock', '/p/.yarnrc.yml'], 'yarn install'],
    ['/h/.yarn/berry/cache/formulary-cli.zip/node_modules/formulary-cli', [], 'yarn install'],
    [
      '/p/node_modules/.pnpm/formulary-cli@0.1.0/node_modules/formulary-cli',
      ['/p/package.json'],
      'pnpm install --force',
    ],
    ['/h/pnpm/global/5/.pnpm/formulary-cli@0.1.0/node_modules/formulary-cli', [], 'pnpm add --global formulary-cli'],
    [
      '/h/pnpm/store/v11/links/@/formulary-cli/0.1.0/a1/node_modules/formulary-cli',
      [],
      'pnpm add --global formulary-cli',
    ],
    ['/usr/lib/node_modules/formulary-cli', [], 'npm install --global --include=optional formulary-cli'],
    [
      '/h/.npm/_npx/a1b2/node_modules/formulary-cli',
      ['/h/.npm/_npx/a1b2/package.json'],
      'npm install --global --include=optional formulary-cli',
    ],
  ])('fits %s with %j: %s', (folder, files, command) => {
    expect(findReinstallCommand(`${folder}/dist`, (file) => files.includes(file))).toBe(command);
  });
});
