/** formulary doctor */

import type { DefineCommand } from '../cli/define.ts';
import { startProgress } from '../output/progress.ts';
import { withOutputFlags, withServiceFlags } from '../session/flags.ts';
import { createSession } from '../session/session.ts';
import { resolveTimeouts } from '../settings/resolve-target.ts';
import { DOCTOR_FIELDS, doctorView, formatDoctorSummary } from '../views/doctor-view.ts';

export const doctor: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      "Check the base URL and the API key, the connection to the service (proxy, DNS, TLS), Node.js for formulas, the optional packages, the tool's own folders, and the lock file. Makes no changes, so write permissions are not checked. Each check is limited by --timeout. The exit code is the first that applies: 2 for invalid or missing settings, 4 for a missing or rejected key, 8 for an unavailable service, 3 for an invalid lock file; 0 for warnings.",
    )
    .action(async (flags) => {
      const session = createSession(flags, host, DOCTOR_FIELDS);
      const limits = resolveTimeouts(flags, host);
      // Not needed for --help.
      const { CHECKS, decideOutcome, runChecks } = await import('../doctor/checks.ts');
      const { createContext } = await import('../doctor/context.ts');
      const context = await createContext(flags, limits, host);
      const progress = startProgress(host.stderr, host.now, 'doctor', Object.keys(CHECKS).length);
      const items = await runChecks(context, ({ status }) => progress.step(status === 'failed'));
      progress.end();
      await session.print(doctorView(items));
      session.note(formatDoctorSummary(items));
      setOutcome(decideOutcome(items));
    });
};
