/** A world made of strings, for running commands in the process of a benchmark: waits take no time, but are counted. */

/** A host for the tool's `main`, with what was written to it. `columns`: stdout is a terminal of that width. */
export function stringWorld({ cwd, env, columns, stdin = '', processMarks }) {
  const texts = { out: '', err: '' };
  let slept = 0;
  const sink = (name, width) => ({
    write: (text) => {
      texts[name] += text;
    },
    isTerminal: width !== undefined,
    hasColour: false,
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
    repeat: () => () => undefined,
    stopping: new AbortController().signal,
    catchSignals: () => true,
    stopSignal: () => new Promise(() => undefined),
    ...processMarks,
    platform: 'bench',
    nodeVersion: process.versions.node,
    user: process.geteuid?.(),
    groups: process.getgroups?.() ?? [],
    nodePath: process.execPath,
  };
  return { host, texts };
}
