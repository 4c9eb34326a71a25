/** The part of GitHub's API, and the store of artifacts, that the action and the recipes use. */
import { cpSync, mkdirSync } from 'node:fs';
import { folderWith } from '../helpers/folders.ts';
import { json, loopback, type Recorded } from '../helpers/loopback.ts';

export const REPOSITORY = 'owner/project';
const BOT = 'github-actions[bot]';

export type Permissions = Readonly<Record<string, 'read' | 'write'>>;

interface Comment {
  id: number;
  body: string;
  user: { login: string } | null;
}

interface Run {
  id: number;
  event: string;
  head_sha: string;
  head_repository: { full_name: string };
  artifacts: { name: string; folder: string; expired: boolean }[];
}

interface Pull {
  number: number;
  merged_at: string | null;
  merge_commit_sha: string;
  head: { sha: string; repo: { full_name: string } | null };
}

export interface GitHub {
  url: string;
  /** The comments on the pull request. */
  comments: Comment[];
  runs: Run[];
  pulls: Pull[];
  /** The methods and paths of all requests. */
  requests: () => string[];
  /** A token with these permissions, for the job of a run. */
  createToken(permissions: Permissions): string;
  addRun(event: string, headSha: string, repository: string): Run;
  upload(run: Run, name: string, folder: string): void;
  /** Copies the artifact of a run, as actions/download-artifact does. Throws without the permission, or the artifact. */
  download(token: string, runId: string, name: string, folder: string): void;
  comment(login: string, body: string): void;
}

interface Call {
  subject: string;
  query: URLSearchParams;
  /** The body of a comment. */
  text: string;
}

/** Method, path, the permission that it requires, and what it returns. */
type Route = readonly [method: string, path: RegExp, permission: string, (call: Call) => unknown];

export const slicePage = <T>(items: readonly T[], query: URLSearchParams): T[] => {
  const size = Number(query.get('per_page'));
  const start = (Number(query.get('page')) - 1) * size;
  return items.slice(start, start + size);
};

export async function startGitHub(): Promise<GitHub> {
  const permissions = new Map<string, Permissions>();
  const comments: Comment[] = [];
  const runs: Run[] = [];
  const pulls: Pull[] = [];
  const add = (login: string, body: string) => {
    const comment = { id: 1000 + comments.length, body, user: { login } };
    comments.push(comment);
    return comment;
  };

  const routes: readonly Route[] = [
    ['GET', /^issues\/\d+\/comments$/, 'pull-requests', ({ query }) => slicePage(comments, query)],
    ['POST', /^issues\/\d+\/comments$/, 'pull-requests', ({ text }) => add(BOT, text)],
    [
      'PATCH',
      /^issues\/comments\/(\d+)$/,
      'pull-requests',
      ({ subject, text }) => Object.assign(comments.find(({ id }) => id === Number(subject)) ?? {}, { body: text }),
    ],
    [
      'GET',
      /^commits\/(\w+)\/pulls$/,
      'pull-requests',
      ({ subject }) => pulls.filter((pull) => pull.merge_commit_sha === subject),
    ],
    [
      'GET',
      /^actions\/runs$/,
      'actions',
      ({ query }) => ({
        workflow_runs: runs
          .filter((run) => run.event === query.get('event') && run.head_sha === query.get('head_sha'))
          .reverse(),
      }),
    ],
    [
      'GET',
      /^actions\/runs\/(\d+)\/artifacts$/,
      'actions',
      ({ subject, query }) => ({
        artifacts: runs
          .filter(({ id }) => id === Number(subject))
          .flatMap(({ artifacts }) => artifacts.filter(({ name }) => name === query.get('name'))),
      }),
    ],
  ];

  /** The value of the route that the token may use; undefined if there is none. */
  function handle({ method, url, headers, body }: Recorded): unknown {
    const own = permissions.get(String(headers.authorization).replace('Bearer ', '')) ?? {};
    const { pathname, searchParams: query } = new URL(url, 'http://localhost');
    const path = pathname.replace(`/repos/${REPOSITORY}/`, '');
    for (const [verb, pattern, permission, call] of routes) {
      const found = verb === method ? pattern.exec(path) : null;
      const isAllowed = own[permission] === 'write' || (method === 'GET' && own[permission] === 'read');
      if (found && isAllowed) return call({ subject: found[1] ?? '', query, text: body && JSON.parse(body).body });
    }
    return undefined;
  }

  const { url, requests } = await loopback((request, response) => {
    const value = handle(request);
    json(response, value ? 200 : 403, value ?? { message: 'Resource not accessible by integration' });
  });
  return {
    url,
    comments,
    runs,
    pulls,
    requests: () => requests.map((request) => `${request.method} ${request.url.replace(/\?.*/, '')}`),
    createToken: (own) => {
      const token = `ghs_${permissions.size}`;
      permissions.set(token, own);
      return token;
    },
    addRun: (event, headSha, repository) => {
      const run = {
        id: runs.length + 1,
        event,
        head_sha: headSha,
        head_repository: { full_name: repository },
        artifacts: [],
      };
      runs.push(run);
      return run;
    },
    upload: (run, name, from) => {
      const folder = folderWith();
      cpSync(from, folder, { recursive: true });
      run.artifacts.push({ name, folder, expired: false });
    },
    download: (token, runId, name, to) => {
      const found = runs.find(({ id }) => id === Number(runId))?.artifacts.find((artifact) => artifact.name === name);
      if (permissions.get(token)?.['actions'] === undefined || !found)
        throw new Error(`no artifact ${name} of run ${runId}`);
      mkdirSync(to, { recursive: true });
      cpSync(found.folder, to, { recursive: true });
    },
    comment: (login, body) => void add(login, body),
  };
}
