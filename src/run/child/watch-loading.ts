/** Tells when the code loads a module or uses a global. */
import NodeModule from 'node:module';

interface Loader {
  _load: (this: object, name: string, ...rest: unknown[]) => unknown;
}

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;

/** Built-in modules that neither reach the network nor have state that their exports do not show. */
export const PLAIN_MODULES: readonly string[] =
  'assert assert/strict buffer console constants crypto events fs fs/promises os path path/posix path/win32 process punycode querystring stream stream/promises string_decoder timers timers/promises url util util/types zlib'.split(
    ' ',
  );

/** Their hidden state is connections, which end with a call without a double. */
export const NETWORK_MODULES: readonly string[] =
  'http https http2 net tls dns dns/promises dgram diagnostics_channel perf_hooks'.split(' ');

/** Calls back instead of loading a module, with its name and the function that loads it. */
export function wrapLoad(wrap: (name: string, load: () => unknown) => unknown): void {
  const loader = NodeModule as unknown as Loader;
  const { _load } = loader;
  loader._load = function (name, ...rest) {
    return wrap(String(name), () => apply(_load, this, [name, ...rest]));
  };
}

/** Calls back at the first use of a global that can be replaced. */
export function watchGlobal(name: string, onUse: () => void): void {
  const real = getOwnPropertyDescriptor(globalThis, name);
  if (!real?.configurable) return;
  const holder = globalThis as Record<string, unknown>;
  const restore = () => {
    defineProperty(globalThis, name, real);
    onUse();
  };
  defineProperty(globalThis, name, {
    configurable: true,
    enumerable: real.enumerable ?? false,
    get: () => {
      restore();
      return holder[name];
    },
    set: (value) => {
      restore();
      holder[name] = value;
    },
  });
}
