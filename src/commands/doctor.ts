/** formulary doctor */

import { decideOutcome, runChecks } from '../doctor/check.ts';
import { startProgress } from '../output/progress.ts';
import type { DefineCommand } from '../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../program/flags.ts';
import { createSession } from '../program/session.ts';
import { resolveTimeouts } from '../settings/resolve-target.ts';
import { doctorView, formatDoctorSummary } from '../views/doctor-view.ts';

export const doctor: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(command))
    .summary('check settings, network, key, tools and files, and say what to do')
    .description(
      'Check the base address, the way to the service (proxy, DNS, connection, TLS, clock), the key, Node.js and the optional packages, the files of the user, and the lock. Writes nothing, here or on the service; what only a write could show is said to be unknown. Each check takes --timeout at most. Ends with 2 for settings that are wrong or missing, 4 for a key that is missing or refused, 8 for a service that cannot be reached or used, 3 for a lock that is broken, in this order; warnings end with 0.',
    )
    .addHelpText('after', '\nExamples:\n  formulary doctor --local\n  formulary doctor --json --local')
    .action(async (flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      const limits = resolveTimeouts(flags, host);
      // What they need is not needed for the help.
      const { CHECKS } = await import('../doctor/checks.ts');
      const { createContext } = await import('../doctor/context.ts');
      const context = await createContext(flags, limits, host);
      const progress = startProgress(host.stderr, host.now, 'doctor', CHECKS.length);
      const items = await runChecks(CHECKS, context, ({ status }) => progress.step(status === 'failed'));
      progress.end();
      await print(doctorView(items));
      session.note(formatDoctorSummary(items));
      setOutcome(decideOutcome(items));
    });
};
