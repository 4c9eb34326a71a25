/** formulary completion */

import type { DefineCommand } from '../cli/define.ts';
import { SHELLS, type Shell } from '../completion/parse-line.ts';
import { respond } from '../completion/respond.ts';
import { INSTALL_COMMANDS, SCRIPTS, SYSTEM_FILES } from '../completion/scripts.ts';
import { CliError } from '../errors.ts';

export const completion: DefineCommand = (command, host, _end, load) => {
  command
    .description(
      'Print a script that completes commands, flags, their values, files, and folders. Completions always match the installed version.',
    )
    .usage(`<${SHELLS.join('|')}>`)
    .argument(`<${SHELLS.join('|')}>`, 'the shell')
    .argument('[word...]', 'the arguments to complete, after --; used by the script')
    .addHelpText(
      'after',
      `\nInstall, once:\n${formatRows(INSTALL_COMMANDS)}\n\nFor all users, save the script where the shell looks for completions:\n${formatRows(SYSTEM_FILES)}`,
    )
    .action(async (typed, words) => {
      const shell = parseShell(typed);
      if (words.length === 0) host.stdout.write(SCRIPTS[shell]);
      else host.stdout.write(await respond(shell, words, load, host));
    });
};

const formatRows = (texts: Readonly<Partial<Record<Shell, string>>>) =>
  Object.entries(texts)
    .map(([shell, text]) => `  ${shell.padEnd(10)}  ${text}`)
    .join('\n');

/** Raises usage (2) for an unknown shell. */
function parseShell(value: string): Shell {
  const shell = SHELLS.find((known) => known === value);
  if (shell) return shell;
  throw new CliError('usage', `unknown shell ${JSON.stringify(value)}: must be one of ${SHELLS.join(', ')}`);
}
