/** formulary formula init */
import { basename, resolve } from 'node:path';
import { declarationsOf } from '../../code/declarations.ts';
import { CliError } from '../../errors.ts';
import { LANGUAGES, type Language, starterFiles, starterManifest } from '../../folder/starter.ts';
import { writeNewFolder } from '../../folder/write.ts';
import { visible } from '../../output/escape.ts';
import type { Define } from '../../program.ts';
import { shellPath } from '../../shell-word.ts';

const MAX_NAME = 200;

export const init: Define = (command, host) => {
  command
    .summary('write a formula folder to start from')
    .description(
      'Write a new formula folder that validates, passes its tests and publishes as it is. A folder that holds anything is refused.',
    )
    .argument('<dir>', 'the new folder')
    .option('--template <template>', `language of the code: ${LANGUAGES.join(' or ')}`, 'js')
    .option('--name <name>', "name of the formula (the folder's name)")
    .option('--description <text>', 'what the formula does')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula init my-formula\n  formulary formula init my-formula --template ts\n  formulary formula init my-formula --name "Greet a customer" --description "Greets a customer by name"',
    )
    .action((dir, flags) => {
      if (dir === '') throw new CliError('usage', 'the folder is empty; wanted is the path of a new folder');
      const language = languageOf(flags.template);
      const path = resolve(host.cwd(), dir);
      const name = flags.name ?? basename(path);
      if (name.trim() === '' || [...name].length > MAX_NAME) {
        throw new CliError('usage', `the name has ${[...name].length} characters; wanted are 1 to ${MAX_NAME}`, {
          hint: 'give another with --name',
        });
      }
      const manifest = starterManifest(name, flags.description ?? 'Greets a customer by name');
      const types = language === 'ts' ? { 'formula.d.ts': declarationsOf(manifest) } : {};
      writeNewFolder(path, dir, { ...starterFiles(manifest, language), ...types });
      host.stdout.write(`${visible(dir)}\n`);
      host.stderr.write(`next: formulary formula validate ${visible(shellPath(dir))}\n`);
    });
};

/** Raises usage (2) for a language that is not known. */
function languageOf(typed: string): Language {
  const language = LANGUAGES.find((known) => known === typed);
  if (language) return language;
  throw new CliError('usage', `--template ${typed} is not known; wanted is ${LANGUAGES.join(' or ')}`);
}
