/** The targets of bench/fuzz.mjs, each with a file of its name in this folder. `seconds`: the limit for one input on a busy computer. */
export const TARGETS = {
  'located-json': { seconds: 30 },
  manifest: { seconds: 30 },
  code: { seconds: 30 },
  icons: { seconds: 30 },
  answers: { seconds: 60 },
  values: { seconds: 60 },
  lock: { seconds: 30 },
  cases: { seconds: 30 },
  history: { seconds: 30 },
  profile: { seconds: 30 },
  output: { seconds: 30 },
  bundle: { seconds: 60 },
};
