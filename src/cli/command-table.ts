/** The command tree: nouns and verbs, with the module of each verb. */
import type { Noun, Verb } from './define.ts';

export const COMMANDS: Record<string, Verb | Noun> = {
  permissions: {
    summary: 'List available permissions',
    verbs: {
      list: {
        summary: 'List available permissions',
        writes: 'nothing',
        exitCodes: ['failed', 'denied', 'unavailable'],
        result: 'permissions',
        load: async () => (await import('../commands/permissions/list.ts')).list,
      },
    },
  },
  formula: {
    summary: 'Create, test, and publish reactor formulas',
    verbs: {
      init: {
        summary: 'Create a new formula from a template',
        writes: 'files',
        exitCodes: ['partial'],
        load: async () => (await import('../commands/formula/init.ts')).init,
      },
      validate: {
        summary: 'Check formula folders offline',
        writes: 'files',
        exitCodes: ['invalid'],
        result: 'validate',
        load: async () => (await import('../commands/formula/validate.ts')).validate,
      },
      types: {
        summary: 'Generate TypeScript types from the manifest',
        writes: 'files',
        exitCodes: ['invalid'],
        load: async () => (await import('../commands/formula/types.ts')).types,
      },
      run: {
        summary: "Run a formula's code locally",
        writes: 'files',
        exitCodes: ['failed', 'invalid'],
        result: 'run',
        load: async () => (await import('../commands/formula/run.ts')).run,
      },
      test: {
        summary: "Run a formula's tests",
        writes: 'files',
        exitCodes: ['failed', 'invalid', 'differs'],
        result: 'test',
        load: async () => (await import('../commands/formula/test.ts')).test,
      },
      status: {
        summary: 'Show which commit of each folder is live',
        writes: 'nothing',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'invalid', 'denied', 'partial', 'unavailable'],
        result: 'status',
        load: async () => (await import('../commands/formula/status.ts')).status,
      },
      dev: {
        summary: 'Start the local workbench',
        writes: 'files',
        exitCodes: [],
        load: async () => (await import('../commands/formula/dev.ts')).dev,
      },
      create: {
        summary: 'Create one formula from a folder',
        writes: 'service',
        permissions: ['reactor:read', 'reactor:create'],
        exitCodes: ['failed', 'invalid', 'denied', 'conflict', 'partial', 'unavailable', 'unknown'],
        result: 'formula',
        load: async () => (await import('../commands/formula/create.ts')).create,
      },
      list: {
        summary: 'List the formulas on the service',
        writes: 'nothing',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'denied', 'unavailable'],
        result: 'formulas',
        load: async () => (await import('../commands/formula/list.ts')).list,
      },
      get: {
        summary: 'Show one formula',
        writes: 'nothing',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'denied', 'not_found', 'conflict', 'unavailable'],
        result: 'formula',
        load: async () => (await import('../commands/formula/get.ts')).get,
      },
      update: {
        summary: 'Update one formula from a folder',
        writes: 'service',
        permissions: ['reactor:read', 'reactor:update'],
        exitCodes: ['failed', 'invalid', 'denied', 'not_found', 'conflict', 'partial', 'unavailable', 'unknown'],
        result: 'formula',
        load: async () => (await import('../commands/formula/update.ts')).update,
      },
      delete: {
        summary: 'Delete formulas',
        writes: 'service',
        permissions: ['reactor:read', 'reactor:delete'],
        exitCodes: ['failed', 'denied', 'not_found', 'conflict', 'partial', 'unavailable', 'unknown'],
        result: 'delete',
        load: async () => (await import('../commands/formula/delete.ts')).remove,
      },
      diff: {
        summary: 'Show differences between folders and the service',
        writes: 'files',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'invalid', 'denied', 'unavailable', 'differs'],
        result: 'diff',
        load: async () => (await import('../commands/formula/diff.ts')).diff,
      },
      push: {
        summary: 'Publish formulas',
        writes: 'service',
        permissions: ['reactor:read', 'reactor:create', 'reactor:update', 'reactor:delete'],
        exitCodes: ['failed', 'invalid', 'denied', 'conflict', 'partial', 'unavailable', 'unknown'],
        result: 'push',
        load: async () => (await import('../commands/formula/push.ts')).push,
      },
      pull: {
        summary: 'Download formulas',
        writes: 'files',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'invalid', 'denied', 'not_found', 'conflict', 'partial', 'unavailable', 'differs'],
        result: 'pull',
        load: async () => (await import('../commands/formula/pull.ts')).pull,
      },
      edit: {
        summary: 'Edit many manifests at once',
        writes: 'files',
        exitCodes: ['invalid', 'not_found', 'partial', 'differs'],
        result: 'edit',
        load: async () => (await import('../commands/formula/edit.ts')).edit,
      },
      link: {
        summary: 'Link a folder to a formula',
        writes: 'files',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'invalid', 'denied', 'not_found', 'conflict', 'unavailable'],
        result: 'link',
        load: async () => (await import('../commands/formula/link.ts')).link,
      },
      unlink: {
        summary: 'Remove the link of a folder',
        writes: 'files',
        exitCodes: ['invalid', 'not_found'],
        result: 'link',
        load: async () => (await import('../commands/formula/unlink.ts')).unlink,
      },
      history: {
        summary: 'List saved versions',
        writes: 'nothing',
        exitCodes: [],
        result: 'history',
        load: async () => (await import('../commands/formula/history.ts')).history,
      },
      restore: {
        summary: 'Restore a saved version',
        writes: 'service',
        permissions: ['reactor:read', 'reactor:create', 'reactor:update'],
        exitCodes: ['failed', 'denied', 'not_found', 'conflict', 'partial', 'unavailable', 'unknown'],
        result: 'formula',
        load: async () => (await import('../commands/formula/restore.ts')).restore,
      },
    },
  },
  auth: {
    summary: 'Log in, log out, and show authentication status',
    verbs: {
      login: {
        summary: 'Log in to a service',
        writes: 'files',
        exitCodes: ['failed', 'denied', 'unavailable'],
        result: 'access',
        load: async () => (await import('../commands/auth/login.ts')).login,
      },
      logout: {
        summary: 'Remove a saved key',
        writes: 'files',
        exitCodes: ['not_found'],
        load: async () => (await import('../commands/auth/logout.ts')).logout,
      },
      status: {
        summary: 'Show the current key and whether it is accepted',
        writes: 'nothing',
        exitCodes: ['denied'],
        result: 'access',
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
            load: async () => (await import('../commands/service/application/create.ts')).create,
          },
          list: {
            summary: 'List applications',
            writes: 'nothing',
            exitCodes: ['failed'],
            result: 'applications',
            load: async () => (await import('../commands/service/application/list.ts')).list,
          },
          delete: {
            summary: 'Delete an application and revoke its key',
            writes: 'files',
            exitCodes: ['failed', 'not_found'],
            result: 'delete-applications',
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
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  completion: {
    summary: 'Print a shell completion script',
    writes: 'nothing',
    exitCodes: [],
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
