/** The names of files in the comments of a bundle, which are the same on every computer. */
import { type Input, NAMESPACE } from './input.ts';

const LICENSES = '/*! Bundled license information:';

/** Replaces the names for esbuild by display names, and normalizes line ends, which occur only in comments. */
export function replaceModuleNames(code: string, byKey: ReadonlyMap<string, Input>): string {
  const named = code
    .replaceAll('\r\n', '\n')
    .replace(new RegExp(`${NAMESPACE}:[^"\\n]*`, 'g'), (key) => byKey.get(key)?.displayName ?? key);
  const at = named.lastIndexOf(LICENSES);
  if (at < 0) return named;
  const toPackagePath = (name: string) => name.slice(name.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const displayNames = new Map(
    [...byKey.values()].map((input) => [toPackagePath(input.esbuildName), toPackagePath(input.displayName)]),
  );
  return named.slice(0, at) + named.slice(at).replace(/^(\S.*)(?=:$)/gm, (name) => displayNames.get(name) ?? name);
}
