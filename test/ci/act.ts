/** Runs the action in a job of its own. */
import { type Event, type JobEnd, runWorkflow } from './github.ts';
import type { Permissions } from './github-api.ts';
import type { Project } from './project.ts';

export const MAIN: Event = { name: 'push', ref: 'refs/heads/main' };

/** A job that runs the action on whatever event comes. */
const workflow = (inputs: Record<string, string>, permissions: Permissions) =>
  JSON.stringify({
    on: Object.fromEntries(
      ['push', 'pull_request', 'merge_group', 'workflow_dispatch', 'schedule', 'release'].map((name) => [name, null]),
    ),
    permissions,
    jobs: {
      formulas: {
        steps: [
          { uses: 'actions/checkout@v7', with: { 'fetch-depth': 0 } },
          { uses: './.github/actions/formulary', with: inputs },
        ],
      },
    },
  });

/** Runs the action in a project. */
export async function act(
  repo: Project,
  event: Event,
  inputs: Record<string, string> = {},
  permissions: Permissions = { contents: 'write', 'pull-requests': 'write', actions: 'read' },
) {
  const base = { 'api-key': repo.key, 'base-url': repo.url, target: 'production' };
  const [end] = await runWorkflow(repo, workflow({ ...base, ...inputs }, permissions), event);
  if (!end) throw new Error('no job ran');
  return end;
}

/** The names of the steps that ran and succeeded, without the ones that always run. */
export const ranSteps = ({ steps }: JobEnd) =>
  steps.flatMap(({ name, outcome }) => (outcome === 'success' && /^(Check|Plan|Push)$/.test(name) ? [name] : []));

export const failedSteps = ({ steps }: JobEnd) =>
  steps.flatMap(({ name, outcome, code }) => (outcome === 'failure' ? [[name, code]] : []));

export const names = async (repo: Project) => (await repo.published()).map(({ name }) => name).sort();
