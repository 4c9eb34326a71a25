/** Bundled packages that Node.js 16 cannot load. */
import type { Lacking } from '../code/node16/missing-apis.ts';
import { placeInCode } from '../text/source-position.ts';
import type { Problem, Subject } from './rule.ts';

const NAMES: Readonly<Partial<Record<Lacking['kind'], string>>> = { global: 'the global', module: 'the module' };

/** One warning for each package, where the code file first names it. */
export function findUnloadablePackages({ code, contents }: Subject): Problem[] {
  const lacking = code?.facts.analysis?.lacking ?? [];
  if (!code || contents.code.state !== 'read') return [];
  const source = contents.code.bytes.toString('utf8');
  const first = new Map(
    lacking.flatMap((one) => (one.failsAtLoad && one.packageName ? [[one.packageName, one] as const] : [])).reverse(),
  );
  return [...first].map(([name, { kind, what }]) => ({
    file: code.file,
    position: placeInCode(source, Math.max(0, importOf(name, source))),
    level: 'warning',
    message: `the bundled package ${JSON.stringify(name)} cannot be loaded: it uses ${NAMES[kind] ?? ''} ${what}, which is not in Node.js 16`,
    fix: 'Use a version of the package that supports Node.js 16.',
  }));
}

/** The offset of the string that names a package, or a file of it; -1 if there is none. */
function importOf(name: string, source: string): number {
  const texts = ["'", '"'].flatMap((quote) => [`${quote}${name}${quote}`, `${quote}${name}/`]);
  const found = texts.map((text) => source.indexOf(text)).filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}
