/** A world made of strings, for running commands in the process of a benchmark: waits take no time, but are counted. */

/** A host for the tool's `main`, with what was written to it. `columns`: stdout is a terminal of that width. */
export function stringWorld({ cwd, env, columns, stdin = '', processIdentity }) {
  const texts = { out: '', err: '' };
  let slept = 0;
  const sink = (name, width) => ({
    write: (text) => {
      texts[name] += text;
    },
    isTerminal: width !== undefined,
    hasColor: false,
    columns: width ?? 80,
  });
  const host = {
    cwd: () => cwd,
    env,
    home: undefined,
    stdout: sink('out', columns),
    stderr: sink('err'),
    readStdin: async () => stdin,
    stdinIsTerminal: false,
    canAsk: false,
    ask: async () => undefined,
    askHidden: async () => undefined,
    now: () => new Date(Date.now() + slept),
    sleep: async (milliseconds) => {
      slept += milliseconds;
    },
    runEvery: () => () => undefined,
    abortSignal: new AbortController().signal,
    installSignalHandlers: () => true,
    waitForSignal: () => new Promise(() => undefined),
    ...processIdentity,
    platform: 'bench',
    nodeVersion: process.versions.node,
    userId: process.geteuid?.(),
    groupIds: process.getgroups?.() ?? [],
    nodePath: process.execPath,
  };
  return { host, texts };
}
