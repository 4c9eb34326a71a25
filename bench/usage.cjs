/** Loaded before a measured script (node --require): writes what it used to the file that FORMULARY_BENCH_USAGE names. */
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const used = { cpuMs: (user + system) / 1000, peakMiB: process.resourceUsage().maxRSS / 1024 };
  writeFileSync(process.env.FORMULARY_BENCH_USAGE, JSON.stringify(used));
});
