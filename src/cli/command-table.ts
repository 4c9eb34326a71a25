/** The command tree: nouns and verbs, with the module of each verb. */
import type { Noun, Verb } from './define.ts';
import { FORMULA_COMMANDS } from './formula-commands.ts';

export const COMMANDS: Record<string, Verb | Noun> = {
  permissions: {
    summary: 'List available permissions',
    verbs: {
      list: {
        summary: 'List available permissions',
        writes: 'nothing',
        exitCodes: ['failed', 'denied', 'unavailable'],
        result: 'permissions',
        examples: ['--local', '--application-type management --json'],
        load: async () => (await import('../commands/permissions/list.ts')).list,
      },
    },
  },
  formula: {
    summary: 'Create, test, and publish reactor formulas',
    verbs: FORMULA_COMMANDS,
  },
  auth: {
    summary: 'Log in, log out, and show authentication status',
    verbs: {
      login: {
        summary: 'Log in to a service',
        writes: 'files',
        exitCodes: ['failed', 'denied', 'unavailable'],
        result: 'access',
        examples: [
          '--base-url https://api.example.com',
          '--base-url https://test.example.com --profile test --target test < key.txt',
          '--base-url https://api.example.com --key-command "op read op://team/formulary/key"',
        ],
        load: async () => (await import('../commands/auth/login.ts')).login,
      },
      logout: {
        summary: 'Remove a saved key',
        writes: 'files',
        exitCodes: ['not_found'],
        examples: ['', '--profile test'],
        load: async () => (await import('../commands/auth/logout.ts')).logout,
      },
      status: {
        summary: 'Show the current key and whether it is accepted',
        writes: 'nothing',
        exitCodes: ['denied'],
        result: 'access',
        examples: ['', '--profile test --json'],
        load: async () => (await import('../commands/auth/status.ts')).status,
      },
    },
  },
  service: {
    summary: 'Run the embedded service for local testing',
    verbs: {
      start: {
        summary: 'Start the embedded service',
        writes: 'files',
        exitCodes: ['failed'],
        examples: ['--port 8600', '--data /tmp/try.db'],
        load: async () => (await import('../commands/service/start.ts')).start,
      },
      application: {
        summary: 'Manage applications of the embedded service',
        verbs: {
          create: {
            summary: 'Create an application and its key',
            writes: 'files',
            exitCodes: ['failed'],
            result: 'application',
            examples: [
              '--name deploy --type management --permission reactor:read reactor:create reactor:update',
              '--name shop --type public --permission token:create --json',
            ],
            load: async () => (await import('../commands/service/application/create.ts')).create,
          },
          list: {
            summary: 'List applications',
            writes: 'nothing',
            exitCodes: ['failed'],
            result: 'applications',
            examples: ['', '--data /tmp/try.db --json'],
            load: async () => (await import('../commands/service/application/list.ts')).list,
          },
          delete: {
            summary: 'Delete an application and revoke its key',
            writes: 'files',
            exitCodes: ['failed', 'not_found'],
            result: 'delete-applications',
            examples: ['ID --yes'],
            load: async () => (await import('../commands/service/application/delete.ts')).remove,
          },
        },
      },
    },
  },
  doctor: {
    summary: 'Diagnose configuration, network, and local files',
    writes: 'nothing',
    exitCodes: ['failed', 'denied', 'unavailable'],
    result: 'doctor',
    examples: ['--local', '--json --local'],
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  completion: {
    summary: 'Print a shell completion script',
    writes: 'nothing',
    exitCodes: [],
    examples: ['bash', 'zsh', 'fish', 'powershell'],
    load: async () => (await import('../commands/completion.ts')).completion,
  },
};

/** The longest command, or part of one, that the arguments begin with. */
export function findCommand(args: readonly string[]): { path: readonly string[]; node: Noun | Verb } {
  let node: Noun | Verb = { summary: '', verbs: COMMANDS };
  let length = 0;
  for (const arg of args) {
    if (!('verbs' in node) || !Object.hasOwn(node.verbs, arg)) break;
    node = node.verbs[arg] ?? node;
    length += 1;
  }
  return { path: args.slice(0, length), node };
}

/** The path of every command, such as `['formula', 'get']`. */
export const listCommandPaths = (): string[][] => listPaths(COMMANDS);

function listPaths(nodes: Record<string, Verb | Noun>): string[][] {
  return Object.entries(nodes).flatMap(([name, node]) =>
    'verbs' in node ? listPaths(node.verbs).map((path) => [name, ...path]) : [[name]],
  );
}
