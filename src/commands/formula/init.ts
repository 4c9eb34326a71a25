/** formulary formula init */
import { basename, resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import { starterFiles } from '../../folder/starter.ts';
import { writeNewFolder } from '../../folder/write.ts';
import { visible } from '../../output/escape.ts';
import type { Define } from '../../program.ts';

const MAX_NAME = 200;

export const init: Define = (command, host) => {
  command
    .summary('write a formula folder to start from')
    .description(
      'Write a new formula folder that validates and publishes as it is. A folder that holds anything is refused.',
    )
    .argument('<dir>', 'the new folder')
    .option('--template <language>', 'language of the code: js', 'js')
    .option('--name <name>', "name of the formula (the folder's name)")
    .option('--description <text>', 'what the formula does')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula init my-formula\n  formulary formula init my-formula --name "Greet a customer" --description "Greets a customer by name"',
    )
    .action((dir, flags) => {
      if (dir === '') throw new CliError('usage', 'the folder is empty; wanted is the path of a new folder');
      if (flags.template !== 'js')
        throw new CliError('usage', `--template ${flags.template} is not known; wanted is js`);
      const path = resolve(host.cwd(), dir);
      const name = flags.name ?? basename(path);
      if (name.trim() === '' || [...name].length > MAX_NAME) {
        throw new CliError('usage', `the name has ${[...name].length} characters; wanted are 1 to ${MAX_NAME}`, {
          hint: 'give another with --name',
        });
      }
      writeNewFolder(path, dir, starterFiles(name, flags.description ?? 'Greets a customer by name'));
      host.stdout.write(`${visible(dir)}\n`);
      host.stderr.write(`next: formulary formula validate ${visible(dir)}\n`);
    });
};
