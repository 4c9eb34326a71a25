/** What bench/fuzz.mjs tries: a line each, with the file of its name beside this one. `seconds`: what one input may take, on a machine that has other work too. */
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
