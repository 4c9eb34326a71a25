/** Tells TypeScript from broken JavaScript: esbuild compiles it, but not as JavaScript. */
import { loadEsbuild } from '../bundle/esbuild.ts';
import { withProcessLimits } from '../bundle/limited-spawn.ts';
import { withBuildLimits } from '../bundle/run-esbuild.ts';
import { isCostly } from './v8-syntax-check.ts';

const MAX_SECONDS = 5;

/** `offset` is where the code stops being JavaScript. False too if esbuild cannot be started, or could take seconds. */
export async function isTypeScript(text: string, offset: number): Promise<boolean> {
  if (isCostly(text) || isStrayMark(text.slice(offset, offset + 4))) return false;
  return !(await compiles(text, 'js')) && (await compiles(text, 'ts'));
}

async function compiles(text: string, loader: 'js' | 'ts'): Promise<boolean> {
  try {
    const esbuild = await loadEsbuild();
    const compile = () => withProcessLimits(() => esbuild.transform(text, { loader, logLevel: 'silent' }));
    await withBuildLimits(esbuild, compile, { seconds: MAX_SECONDS });
    return true;
  } catch {
    return false;
  }
}

/** `a! = b` and `Hello!` compile as TypeScript, but are more likely typos; `a!.b` and `f(a!)` are not. */
const isStrayMark = (text: string) => text.startsWith('!') && !/^!(?:[.[),;:}\]]|\?\.| as)/.test(text);
