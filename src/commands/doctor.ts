/** formulary doctor */

import { examine, worstOutcome } from '../doctor/check.ts';
import { startProgress } from '../output/progress.ts';
import type { Define } from '../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../program/flags.ts';
import { createSession } from '../program/session.ts';
import { timeLimits } from '../settings/resolve-target.ts';
import { doctorAnswer, summaryLine } from '../views/doctor-view.ts';

export const doctor: Define = (command, host, end) => {
  withServiceFlags(withOutputFlags(command))
    .summary('check settings, network, key, tools and files, and say what to do')
    .description(
      'Check the base address, the way to the service (proxy, DNS, connection, TLS, clock), the key, Node.js and the optional packages, the files of the user, and the lock. Writes nothing, here or on the service; what only a write could show is said to be unknown. Each check takes --timeout at most. Ends with 2 for settings that are wrong or missing, 4 for a key that is missing or refused, 8 for a service that cannot be reached or used, 3 for a lock that is broken, in this order; warnings end with 0.',
    )
    .addHelpText('after', '\nExamples:\n  formulary doctor --local\n  formulary doctor --json --local')
    .action(async (flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      const limits = timeLimits(flags, host);
      // What they need is not needed for the help.
      const { CHECKS } = await import('../doctor/checks.ts');
      const { readSubject } = await import('../doctor/context.ts');
      const subject = await readSubject(flags, limits, host);
      const progress = startProgress(host.stderr, host.now, 'doctor', CHECKS.length);
      const items = await examine(CHECKS, subject, ({ status }) => progress.step(status === 'failed'));
      progress.end();
      await print(doctorAnswer(items));
      session.note(summaryLine(items));
      end(worstOutcome(items));
    });
};
