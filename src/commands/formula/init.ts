/** formulary formula init */
import { basename, resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import { mustBeNew, writeNewFolder } from '../../files/atomic-write.ts';
import { toSlashes } from '../../files/paths.ts';
import type { Host, Question } from '../../host/host.ts';
import { visible } from '../../output/escape.ts';
import type { Define } from '../../program/define.ts';
import { asked } from '../../program/prompt.ts';
import { TEMPLATES } from '../../templates/all.ts';
import { filesOf } from '../../templates/files.ts';
import type { Template } from '../../templates/template.ts';
import { shellPath } from '../../text/shell-quote.ts';

const MAX_NAME = 200;

const NAMES = Object.keys(TEMPLATES);

interface InitFlags {
  template?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
  /** False with --no-input. */
  input: boolean;
}

export const init: Define = (command, host) => {
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
      `\nTemplates:\n${NAMES.map((name) => `  ${name.padEnd(10)} ${TEMPLATES[name]?.about}`).join('\n')}\n\nExamples:\n  formulary formula init my-formula\n  formulary formula init my-formula --template ts --no-input\n  formulary formula init my-formula --template sign --name "Sign a payload" --description "Signs what is sent"`,
    )
    .action(async (dir, flags) => {
      if (dir === '') throw new CliError('usage', 'the folder is empty; wanted is the path of a new folder');
      const path = resolve(host.cwd(), dir);
      const { template, name, description } = await decided(path, dir, flags, host);
      writeNewFolder(path, dir, filesOf(template, { name, description }));
      host.stdout.write(`${visible(toSlashes(dir))}\n`);
      const typed = visible(shellPath(dir, host.platform));
      host.stderr.write(
        `next: formulary formula test ${typed}\nthen, to the embedded service: formulary formula push ${typed} --local\n`,
      );
    });
};

/** What the flags say, and for what they do not, a person or what is proposed. */
async function decided(path: string, dir: string, flags: InitFlags, host: Host) {
  const canAsk = host.canAsk && flags.input;
  const ask = (question: Question) => (canAsk ? asked(question, host) : question.initial);
  // Before anything is asked: the flags, and the folder.
  if (flags.name !== undefined) checkName(flags.name);
  if (flags.template !== undefined) templateOf(flags.template);
  mustBeNew(path, dir);
  if (canAsk) host.catchSignals();
  const name = flags.name ?? (await ask({ message: 'Name of the formula', initial: basename(path), check: wrongName }));
  checkName(name);
  const template = templateOf(flags.template ?? (await ask(WHICH)));
  const what = { message: 'What it does', initial: template.description, check: () => undefined };
  return { template, name, description: flags.description ?? (await ask(what)) };
}

const WHICH: Question = {
  message: 'What to start from',
  initial: 'js',
  check: (typed) => (Object.hasOwn(TEMPLATES, typed) ? undefined : `wanted is one of ${NAMES.join(', ')}`),
  options: Object.entries(TEMPLATES).map(([value, { about }]) => ({ value, label: value, hint: about })),
};

/** Raises usage (2) for a name that no service would take. */
function checkName(name: string): void {
  const wrong = wrongName(name);
  if (wrong !== undefined) throw new CliError('usage', wrong, { hint: 'give another with --name' });
}

function wrongName(name: string): string | undefined {
  const wanted = `wanted are 1 to ${MAX_NAME} characters`;
  if (name.trim() === '') return `the name is ${name === '' ? 'empty' : 'empty but for white space'}; ${wanted}`;
  const { length } = [...name];
  return length > MAX_NAME ? `the name has ${length} characters; ${wanted}` : undefined;
}

/** Raises usage (2) for a template that is not known. */
function templateOf(name: string): Template {
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
