/** Provides doubles of modules, and a stand-in for the service's package of error classes. */
import { readFileSync } from 'node:fs';
import NodeModule from 'node:module';
import { send } from '../child/channel.ts';
import { loadCode } from '../child/load-code.ts';
import { createHelperPackage, HELPER_PACKAGES } from './helper-package.ts';

const { apply } = Reflect;
const { stringify } = JSON;

/** `doubles`: paths of CommonJS files by the required name. */
export function provideModules(doubles: Readonly<Record<string, string>>): void {
  const loader = NodeModule as unknown as { _load: (this: object, name: string, ...rest: unknown[]) => unknown };
  const { _load } = loader;
  const loaded = new Map<string, unknown>();
  const loadOnce = (name: string, load: () => unknown): unknown => {
    if (!loaded.has(name)) loaded.set(name, load());
    return loaded.get(name);
  };
  loader._load = function (name, ...rest) {
    const double = Object.hasOwn(doubles, name) ? doubles[name] : undefined;
    if (double !== undefined) return loadOnce(name, () => loadDouble(name, double));
    if (!HELPER_PACKAGES.includes(name)) return apply(_load, this, [name, ...rest]);
    try {
      return apply(_load, this, [name, ...rest]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
      return loadOnce(name, () => loadStandIn(name));
    }
  };
}

function loadDouble(name: string, file: string): unknown {
  send(`{"loaded":${stringify(name)}}`);
  return loadCode(readFileSync(file, 'utf8'), file);
}

function loadStandIn(name: string): object {
  send(`{"standIn":${stringify(name)}}`);
  return createHelperPackage();
}
