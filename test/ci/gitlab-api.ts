/** The part of GitLab's API that the recipe uses. */
import { json, loopback, type Recorded } from '../helpers/loopback.ts';
import { slicePage } from './github-api.ts';

export const PROJECT_ID = '42';
export const TOKEN = 'glpat-of-the-test';
const BOT = { id: 7 };

interface Note {
  id: number;
  body: string;
  author: { id: number };
}

interface MergeRequest {
  iid: number;
  state: 'opened' | 'merged';
  source_project_id: number;
  /** The commit on the default branch. */
  sha: string;
}

export interface GitLab {
  url: string;
  notes: Note[];
  mergeRequests: MergeRequest[];
  /** The file formulary-plan.json of the last successful pipeline, by ref. */
  plans: Map<string, string>;
  addNote(author: number, body: string): void;
}

/** Method and path, and what it returns; undefined if it is not found. */
type Route = readonly [route: string, (call: { subject: string; query: URLSearchParams; text: string }) => unknown];

export async function startGitLab(): Promise<GitLab> {
  const notes: Note[] = [];
  const mergeRequests: MergeRequest[] = [];
  const plans = new Map<string, string>();
  const add = (id: number, body: string) => {
    const note = { id: 500 + notes.length, body, author: { id } };
    notes.push(note);
    return note;
  };

  const routes: readonly Route[] = [
    ['GET /user', () => BOT],
    ['GET merge_requests/1/notes', ({ query }) => slicePage(notes, query)],
    ['POST merge_requests/1/notes', ({ text }) => add(BOT.id, text)],
    [
      'PUT merge_requests/1/notes/(\\d+)',
      ({ subject, text }) => {
        const note = notes.find(({ id, author }) => id === Number(subject) && author.id === BOT.id);
        return note && Object.assign(note, { body: text });
      },
    ],
    [
      'GET repository/commits/(\\w+)/merge_requests',
      ({ subject }) => mergeRequests.filter(({ sha }) => sha === subject),
    ],
    [
      'GET jobs/artifacts/([^/]+)/raw/formulary-plan.json',
      ({ subject, query }) => (query.get('job') === 'plan' ? plans.get(decodeURIComponent(subject)) : undefined),
    ],
  ];

  function handle({ method, url, headers, body }: Recorded): unknown {
    const { pathname, searchParams: query } = new URL(url, 'http://localhost');
    const route = `${method} ${pathname.replace(`/projects/${PROJECT_ID}/`, '')}`;
    for (const [pattern, call] of headers.authorization === `Bearer ${TOKEN}` ? routes : []) {
      const found = new RegExp(`^${pattern}$`).exec(route);
      if (found) return call({ subject: found[1] ?? '', query, text: body && JSON.parse(body).body });
    }
    return undefined;
  }

  const { url } = await loopback((request, response) => {
    const value = handle(request);
    if (typeof value === 'string') response.end(value);
    else json(response, value ? 200 : 404, value ?? { message: '404 Not Found' });
  });
  return { url, notes, mergeRequests, plans, addNote: (author, body) => void add(author, body) };
}
