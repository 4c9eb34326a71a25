/** The output of git. */
import { expect, it } from 'vitest';
import { runGit } from '../../src/git/run-git.ts';
import { folderWith } from '../helpers/folders.ts';
import { GIT_PATH as PATH } from '../helpers/git.ts';

it('is not decoded before it is used, since the text of 256 MiB may need twice as much memory', async () => {
  const result = await runGit(['--version'], folderWith(), { PATH });
  expect(result.bytes.toString()).toMatch(/^git version /);
  result.bytes.fill('x');
  expect(result.output).toMatch(/^x+$/);
});
