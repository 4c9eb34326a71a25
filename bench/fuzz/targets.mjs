/** What bench/fuzz.mjs tries: a line each, with the file of its name beside this one. `seconds`: what one input may take. */
export const TARGETS = {
  'located-json': { seconds: 5 },
  manifest: { seconds: 5 },
  code: { seconds: 10 },
  icons: { seconds: 5 },
  answers: { seconds: 30 },
  lock: { seconds: 5 },
  cases: { seconds: 5 },
  history: { seconds: 10 },
  profile: { seconds: 5 },
  output: { seconds: 10 },
};
