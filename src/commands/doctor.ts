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
    .summary('check configuration, network, key, tools, and files')
    .description(
      'Check the base URL, the connection to the service (proxy, DNS, TLS), the API key, Node.js and the optional packages, your configuration and state folders, and the lock file. Makes no changes, locally or on the service, so permissions to write are not checked. --timeout limits each check. Exits with 2 for invalid or missing settings, 4 for a missing or rejected key, 8 for a service that is unreachable or unusable, 3 for an invalid lock file; the first of these applies. Warnings do not change the exit code.',
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
