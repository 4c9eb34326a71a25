/** Checks the folders of the tool and what is in them, and the temporary folder. */
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import { listAncestors } from '../files/repository.ts';
import type { Host } from '../host/host.ts';
import { findUntrustedPath, formatDistrust, getDistrustHint } from '../state/folder-trust.ts';
import { listProfileNames, readProfile } from '../state/profiles.ts';
import { getConfigFolder, getStateFolder, listToolFolders } from '../state/xdg-paths.ts';
import { type Check, mergeResults } from './check.ts';

/** A problem and its solution. */
type Problem = readonly [found: string, advice: string | undefined];

export const checkOwnFolders: Check = ({ host }) => {
  const problems = [
    ...findUntrustedFolders(host),
    ...findProfileProblems(host),
    ...findStateProblem(host),
    ...findTemporaryProblem(host),
  ];
  if (problems.length === 0) {
    const folders = [getConfigFolder(host), getStateFolder(host), tmpdir()].join(', ');
    return { status: 'ok', found: `${folders}; saved keys: ${listProfileNames(host).join(', ') || 'none'}` };
  }
  return mergeResults(problems.map(([found, advice]) => ({ status: 'warning', found, advice })));
};

const ALTERNATIVE = 'Set XDG_CONFIG_HOME, XDG_STATE_HOME, and XDG_DATA_HOME to folders of your own.';

const findUntrustedFolders = (host: Host): Problem[] =>
  listToolFolders(host).flatMap((folder): Problem[] => {
    const found = findUntrustedPath(host, folder);
    return found ? [[`${folder} is not used: ${formatDistrust(found)}`, getDistrustHint(found, ALTERNATIVE)]] : [];
  });

/** Invalid profiles, and files and folders that others can read. */
function findProfileProblems(host: Host): Problem[] {
  const folder = getConfigFolder(host);
  if (folder === undefined)
    return [['HOME is not set, so keys cannot be saved', 'Set XDG_CONFIG_HOME to a folder of your own.']];
  if (findUntrustedPath(host, folder)) return [];
  const problems = new Map<string, string | undefined>();
  const warn = (text: string) => {
    const [found = '', command] = text.replace('warning: ', '').split('; close it with: ');
    problems.set(found, `To close it, run: ${command}`);
  };
  const collect = (action: () => void) => {
    try {
      action();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.set(error.message, error.hint);
    }
  };
  collect(() => {
    for (const name of listProfileNames(host)) collect(() => readProfile(host, name, warn));
  });
  return [...problems];
}

function findStateProblem(host: Host): Problem[] {
  const advice = 'Set XDG_STATE_HOME. Without a state folder, commands that replace or delete need --no-history.';
  const folder = getStateFolder(host);
  if (folder === undefined) return [['HOME is not set, so no versions are saved', advice]];
  const nearest = listAncestors(folder).find((path) => existsSync(path)) ?? folder;
  return findFailure(nearest, advice, () => accessSync(nearest, constants.W_OK | constants.X_OK));
}

/** Why `run` and `test` cannot write to the temporary folder. */
function findTemporaryProblem({ platform }: Host): Problem[] {
  const variable = platform === 'win32' ? 'TEMP' : 'TMPDIR';
  const advice = `Set ${variable} to a folder that you can write to. run, test, and dev need it.`;
  return findFailure(tmpdir(), advice, () => rmdirSync(mkdtempSync(join(tmpdir(), 'formulary-run-'))));
}

function findFailure(path: string, advice: string, action: () => void): Problem[] {
  try {
    action();
    return [];
  } catch (error) {
    return [[`${path} is not writable: ${describeFsError(error)}`, advice]];
  }
}
