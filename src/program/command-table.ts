/** The command tree: a table of nouns and verbs, and who loads the module of each verb. */
import type { Noun, Verb } from './define.ts';

export const COMMANDS: Record<string, Verb | Noun> = {
  permissions: {
    summary: 'the permissions that an application can have',
    verbs: {
      list: {
        summary: 'list the permission catalogue',
        load: async () => (await import('../commands/permissions/list.ts')).list,
      },
    },
  },
  formula: {
    summary: 'reactor formulas, on disk and on the service',
    verbs: {
      init: {
        summary: 'write a formula folder to start from',
        load: async () => (await import('../commands/formula/init.ts')).init,
      },
      validate: {
        summary: 'check formula folders, offline',
        load: async () => (await import('../commands/formula/validate.ts')).validate,
      },
      types: {
        summary: 'write the types of args and configuration',
        load: async () => (await import('../commands/formula/types.ts')).types,
      },
      run: {
        summary: 'run the code of a formula on this machine',
        load: async () => (await import('../commands/formula/run.ts')).run,
      },
      test: {
        summary: 'run the cases of formulas, and compare',
        load: async () => (await import('../commands/formula/test.ts')).test,
      },
      create: {
        summary: 'create one formula from a folder',
        load: async () => (await import('../commands/formula/create.ts')).create,
      },
      list: {
        summary: 'list the formulas of the service',
        load: async () => (await import('../commands/formula/list.ts')).list,
      },
      get: { summary: 'show one formula', load: async () => (await import('../commands/formula/get.ts')).get },
      update: {
        summary: 'replace one formula from a folder',
        load: async () => (await import('../commands/formula/update.ts')).update,
      },
      delete: { summary: 'delete formulas', load: async () => (await import('../commands/formula/delete.ts')).remove },
      diff: {
        summary: 'show what push would do',
        load: async () => (await import('../commands/formula/diff.ts')).diff,
      },
      push: {
        summary: 'make the service hold what the folders say',
        load: async () => (await import('../commands/formula/push.ts')).push,
      },
      pull: {
        summary: 'write formulas as folders',
        load: async () => (await import('../commands/formula/pull.ts')).pull,
      },
      edit: {
        summary: 'change many manifests and codes at once',
        load: async () => (await import('../commands/formula/edit.ts')).edit,
      },
      link: {
        summary: 'record which formula a folder is',
        load: async () => (await import('../commands/formula/link.ts')).link,
      },
      unlink: {
        summary: 'forget which formula a folder is',
        load: async () => (await import('../commands/formula/unlink.ts')).unlink,
      },
      history: {
        summary: 'list the copies kept before each update and delete',
        load: async () => (await import('../commands/formula/history.ts')).history,
      },
      restore: {
        summary: 'put a kept copy back',
        load: async () => (await import('../commands/formula/restore.ts')).restore,
      },
    },
  },
  auth: {
    summary: 'keys kept for the addresses they are for',
    verbs: {
      login: {
        summary: 'keep a key for a base address',
        load: async () => (await import('../commands/auth/login.ts')).login,
      },
      logout: { summary: 'forget a kept key', load: async () => (await import('../commands/auth/logout.ts')).logout },
      status: {
        summary: 'show which key is used, from where, and whether it is accepted',
        load: async () => (await import('../commands/auth/status.ts')).status,
      },
    },
  },
  service: {
    summary: 'the embedded service, for trying out and for tests',
    verbs: {
      start: {
        summary: 'serve the embedded service on this machine',
        load: async () => (await import('../commands/service/start.ts')).start,
      },
      application: {
        summary: 'applications of the embedded service, and their keys',
        verbs: {
          create: {
            summary: 'make an application and its key',
            load: async () => (await import('../commands/service/application/create.ts')).create,
          },
          list: {
            summary: 'list the applications',
            load: async () => (await import('../commands/service/application/list.ts')).list,
          },
          delete: {
            summary: 'delete an application, whose key is then void',
            load: async () => (await import('../commands/service/application/delete.ts')).remove,
          },
        },
      },
    },
  },
  doctor: {
    summary: 'check settings, network, key, tools and files, and say what to do',
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  completion: {
    summary: 'completion in bash, zsh and fish',
    load: async () => (await import('../commands/completion.ts')).completion,
  },
};

/** What the words name at their beginning: nouns, and perhaps a verb. */
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

/** The words of every command that there is. */
export const listCommandPaths = (): string[][] => listPaths(COMMANDS);

/** The words of every command of a table. */
function listPaths(nodes: Record<string, Verb | Noun>): string[][] {
  return Object.entries(nodes).flatMap(([name, node]) =>
    'verbs' in node ? listPaths(node.verbs).map((path) => [name, ...path]) : [[name]],
  );
}
