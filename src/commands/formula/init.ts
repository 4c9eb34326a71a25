/** formulary formula init */
import { basename, resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import { assertNew, writeNewFolder } from '../../files/atomic-write.ts';
import { toSlashes } from '../../files/paths.ts';
import type { Host, Question } from '../../host/host.ts';
import { escapeControls } from '../../output/escape.ts';
import type { DefineCommand } from '../../program/define.ts';
import { promptFor } from '../../program/prompt.ts';
import { TEMPLATES } from '../../templates/all.ts';
import { createTemplateFiles } from '../../templates/files.ts';
import type { Template } from '../../templates/template.ts';
import { shellQuotePath } from '../../text/shell-quote.ts';

const MAX_NAME = 200;

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
    .summary('write a formula folder to start from')
    .description(
      'Write a new formula folder that validates, passes its tests and publishes as it is. A folder that holds anything is refused. On a terminal it asks for what no flag says.',
    )
    .argument('<dir>', 'the new folder')
    .option('--template <template>', `what to start from: ${NAMES.join(', ')} (js)`)
    .option('--name <name>', "name of the formula (the folder's name)")
    .option('--description <text>', 'what the formula does')
    .option('--no-input', 'never ask, as where there is no terminal')
    .addHelpText(
      'after',
      `\nTemplates:\n${NAMES.map((name) => `  ${name.padEnd(10)} ${TEMPLATES[name]?.summary}`).join('\n')}\n\nExamples:\n  formulary formula init my-formula\n  formulary formula init my-formula --template ts --no-input\n  formulary formula init my-formula --template sign --name "Sign a payload" --description "Signs what is sent"`,
    )
    .action(async (dir, flags) => {
      if (dir === '') throw new CliError('usage', 'the folder is empty; wanted is the path of a new folder');
      const path = resolve(host.cwd(), dir);
      const { template, name, description } = await resolveAnswers(path, dir, flags, host);
      writeNewFolder(path, dir, createTemplateFiles(template, { name, description }));
      host.stdout.write(`${escapeControls(toSlashes(dir))}\n`);
      const quotedDir = escapeControls(shellQuotePath(dir, host.platform));
      host.stderr.write(
        `next: formulary formula test ${quotedDir}\nthen, to the embedded service: formulary formula push ${quotedDir} --local\n`,
      );
    });
};

/** What the flags say, and for what they do not, a person or what is proposed. */
async function resolveAnswers(path: string, dir: string, flags: InitFlags, host: Host) {
  const canAsk = host.canAsk && flags.input;
  const ask = (question: Question) => (canAsk ? promptFor(question, host) : question.initial);
  // Before anything is asked: the flags, and the folder.
  if (flags.name !== undefined) assertValidName(flags.name);
  if (flags.template !== undefined) findTemplate(flags.template);
  assertNew(path, dir);
  if (canAsk) host.installSignalHandlers();
  const name =
    flags.name ?? (await ask({ message: 'Name of the formula', initial: basename(path), validate: findNameProblem }));
  assertValidName(name);
  const template = findTemplate(flags.template ?? (await ask(TEMPLATE_QUESTION)));
  const descriptionQuestion = { message: 'What it does', initial: template.description, validate: () => undefined };
  return { template, name, description: flags.description ?? (await ask(descriptionQuestion)) };
}

const TEMPLATE_QUESTION: Question = {
  message: 'What to start from',
  initial: 'js',
  validate: (typed) => (Object.hasOwn(TEMPLATES, typed) ? undefined : `wanted is one of ${NAMES.join(', ')}`),
  options: Object.entries(TEMPLATES).map(([value, { summary }]) => ({ value, label: value, hint: summary })),
};

/** Raises usage (2) for a name that no service would take. */
function assertValidName(name: string): void {
  const problem = findNameProblem(name);
  if (problem !== undefined) throw new CliError('usage', problem, { hint: 'give another with --name' });
}

function findNameProblem(name: string): string | undefined {
  const expected = `wanted are 1 to ${MAX_NAME} characters`;
  if (name.trim() === '') return `the name is ${name === '' ? 'empty' : 'empty but for white space'}; ${expected}`;
  const { length } = [...name];
  return length > MAX_NAME ? `the name has ${length} characters; ${expected}` : undefined;
}

/** Raises usage (2) for a template that is not known. */
function findTemplate(name: string): Template {
  const template = Object.hasOwn(TEMPLATES, name) ? TEMPLATES[name] : undefined;
  if (template) return template;
  throw new CliError(
    'usage',
    `the template ${JSON.stringify(name)} is not known; wanted is one of ${NAMES.join(', ')}`,
    {
      hint: 'formulary formula init --help says what each is',
    },
  );
}
