/** formulary formula init */
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { assertNew, writeNewFolder } from '../../files/new-folder.ts';
import { toDisplayPath, toSlashes } from '../../files/paths.ts';
import { listAncestors } from '../../files/repository.ts';
import { tryStat } from '../../files/try-stat.ts';
import type { Host, Question } from '../../host/host.ts';
import { escapeControls } from '../../output/escape.ts';
import { wrapMessage } from '../../output/wrap-message.ts';
import { findNameLengthProblem } from '../../rules/name.ts';
import { promptFor } from '../../session/prompt.ts';
import { isServiceConfigured } from '../../settings/resolve-address.ts';
import { createTemplateFiles, getDescription, TEMPLATES } from '../../templates/templates.ts';
import { shellQuotePath } from '../../text/shell-quote.ts';

const NAMES = Object.keys(TEMPLATES);

interface InitFlags {
  template?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
  /** False with --no-input. */
  input: boolean;
}

export const init: DefineCommand = (command, host) => {
  command
    .description(
      'Create a new formula folder from a template. It is valid, passes its tests, and can be published as it is. The directory must be empty or not exist. Prompts for missing values.',
    )
    .argument('<dir>', 'the new folder')
    .option('--template <template>', `template: ${NAMES.join(', ')} (default: js)`)
    .option('--name <name>', "name of the formula (default: the folder's name)")
    .option('--description <text>', 'description of the formula')
    .option('--vscode', 'add a launch configuration for VS Code, which attaches to --inspect')
    .option('--no-input', 'never prompt')
    .addHelpText('after', `\nTemplates:\n${NAMES.map((name) => `  ${name.padEnd(11)} ${TEMPLATES[name]}`).join('\n')}`)
    .action(async (dir, flags) => {
      if (dir === '') throw new CliError('usage', 'DIR must be the path of a new folder (got an empty string)');
      const path = resolve(host.cwd(), dir);
      const { template, name, description } = await resolveValues(path, dir, flags, host);
      const files = createTemplateFiles(template, {
        ...{ name, description, schema: findSchema(path) },
        hasLaunch: flags.vscode ?? false,
      });
      writeNewFolder(path, dir, files);
      for (const file of Object.keys(files))
        host.stdout.write(`${escapeControls(toDisplayPath(toSlashes(dir), file))}\n`);
      const quotedDir = escapeControls(shellQuotePath(dir, host.platform));
      const lines = [
        `Created formula folder ${escapeControls(toSlashes(dir))}`,
        `next: formulary formula test ${quotedDir}`,
        `next: formulary formula push ${quotedDir}${isServiceConfigured(host) ? '' : ' --local'}`,
      ];
      for (const line of lines) host.stderr.write(`${wrapMessage(line, host.stderr)}\n`);
    });
};

/** The schema of manifests in a package that is installed above the folder, relative to it. */
function findSchema(path: string): string | undefined {
  const file = 'node_modules/formulary-cli/schema/manifest.schema.json';
  const above = listAncestors(dirname(path)).find((folder) => tryStat(join(folder, file))?.isFile());
  return above && `${toSlashes(relative(path, above))}/${file}`;
}

/** The values of the flags, otherwise of prompts, otherwise the defaults. */
async function resolveValues(path: string, dir: string, flags: InitFlags, host: Host) {
  const canAsk = host.canAsk && flags.input;
  const ask = (question: Question) => (canAsk ? promptFor(question, host) : question.initial);
  // The flags and the folder are checked before the prompts.
  if (flags.name !== undefined) assertValidName(flags.name);
  if (flags.template !== undefined) assertTemplate(flags.template);
  assertNew(path, dir);
  if (canAsk) host.installSignalHandlers();
  const name =
    flags.name ??
    (await ask({ message: 'Name of the formula', initial: basename(path), validate: findNameLengthProblem }));
  assertValidName(name);
  const template = flags.template ?? (await ask(TEMPLATE_QUESTION));
  const descriptionQuestion = { message: 'Description', initial: getDescription(template), validate: () => undefined };
  return { template, name, description: flags.description ?? (await ask(descriptionQuestion)) };
}

const TEMPLATE_QUESTION: Question = {
  message: 'Template',
  initial: 'js',
  validate: (typed) => (Object.hasOwn(TEMPLATES, typed) ? undefined : `must be one of ${NAMES.join(', ')}`),
  options: Object.entries(TEMPLATES).map(([value, hint]) => ({ value, hint })),
};

/** Raises usage (2) for a name that services reject. */
function assertValidName(name: string): void {
  const problem = findNameLengthProblem(name);
  if (problem !== undefined) throw new CliError('usage', problem, { hint: 'Pass a valid name with --name.' });
}

/** Raises usage (2) for an unknown template. */
function assertTemplate(name: string): void {
  if (NAMES.includes(name)) return;
  throw new CliError(
    'usage',
    `invalid value ${JSON.stringify(name)} for --template: must be one of ${NAMES.join(', ')}`,
    { hint: 'For a description of each template, run: formulary formula init --help' },
  );
}
