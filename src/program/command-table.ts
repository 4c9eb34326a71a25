/** The command tree: a table of nouns and verbs, and who loads the module of each verb. */
import type { Noun, Verb } from './define.ts';

export const COMMANDS: Record<string, Verb | Noun> = {
  permissions: {
    about: 'the permissions that an application can have',
    verbs: {
      list: {
        about: 'list the permission catalogue',
        load: async () => (await import('../commands/permissions/list.ts')).list,
      },
    },
  },
  formula: {
    about: 'reactor formulas, on disk and on the service',
    verbs: {
      init: {
        about: 'write a formula folder to start from',
        load: async () => (await import('../commands/formula/init.ts')).init,
      },
      validate: {
        about: 'check formula folders, offline',
        load: async () => (await import('../commands/formula/validate.ts')).validate,
      },
      types: {
        about: 'write the types of args and configuration',
        load: async () => (await import('../commands/formula/types.ts')).types,
      },
      run: {
        about: 'run the code of a formula on this machine',
        load: async () => (await import('../commands/formula/run.ts')).run,
      },
      test: {
        about: 'run the cases of formulas, and compare',
        load: async () => (await import('../commands/formula/test.ts')).test,
      },
      create: {
        about: 'create one formula from a folder',
        load: async () => (await import('../commands/formula/create.ts')).create,
      },
      list: {
        about: 'list the formulas of the service',
        load: async () => (await import('../commands/formula/list.ts')).list,
      },
      get: { about: 'show one formula', load: async () => (await import('../commands/formula/get.ts')).get },
      update: {
        about: 'replace one formula from a folder',
        load: async () => (await import('../commands/formula/update.ts')).update,
      },
      delete: { about: 'delete formulas', load: async () => (await import('../commands/formula/delete.ts')).remove },
      diff: { about: 'show what push would do', load: async () => (await import('../commands/formula/diff.ts')).diff },
      push: {
        about: 'make the service hold what the folders say',
        load: async () => (await import('../commands/formula/push.ts')).push,
      },
      pull: {
        about: 'write formulas as folders',
        load: async () => (await import('../commands/formula/pull.ts')).pull,
      },
      link: {
        about: 'record which formula a folder is',
        load: async () => (await import('../commands/formula/link.ts')).link,
      },
      unlink: {
        about: 'forget which formula a folder is',
        load: async () => (await import('../commands/formula/unlink.ts')).unlink,
      },
      history: {
        about: 'list the copies kept before each update and delete',
        load: async () => (await import('../commands/formula/history.ts')).history,
      },
      restore: {
        about: 'put a kept copy back',
        load: async () => (await import('../commands/formula/restore.ts')).restore,
      },
    },
  },
  auth: {
    about: 'keys kept for the addresses they are for',
    verbs: {
      login: {
        about: 'keep a key for a base address',
        load: async () => (await import('../commands/auth/login.ts')).login,
      },
      logout: { about: 'forget a kept key', load: async () => (await import('../commands/auth/logout.ts')).logout },
      status: {
        about: 'show which key is used, from where, and whether it is accepted',
        load: async () => (await import('../commands/auth/status.ts')).status,
      },
    },
  },
  service: {
    about: 'the embedded service, for trying out and for tests',
    verbs: {
      start: {
        about: 'serve the embedded service on this machine',
        load: async () => (await import('../commands/service/start.ts')).start,
      },
      application: {
        about: 'applications of the embedded service, and their keys',
        verbs: {
          create: {
            about: 'make an application and its key',
            load: async () => (await import('../commands/service/application/create.ts')).create,
          },
          list: {
            about: 'list the applications',
            load: async () => (await import('../commands/service/application/list.ts')).list,
          },
          delete: {
            about: 'delete an application, whose key is then void',
            load: async () => (await import('../commands/service/application/delete.ts')).remove,
          },
        },
      },
    },
  },
  doctor: {
    about: 'check settings, network, key, tools and files, and say what to do',
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  completion: {
    about: 'completion in bash, zsh and fish',
    load: async () => (await import('../commands/completion.ts')).completion,
  },
};

/** What the words name at their beginning: nouns, and perhaps a verb. */
export function namedBy(words: readonly string[]): { path: readonly string[]; node: Noun | Verb } {
  let node: Noun | Verb = { about: '', verbs: COMMANDS };
  let length = 0;
  for (const word of words) {
    if (!('verbs' in node) || !Object.hasOwn(node.verbs, word)) break;
    node = node.verbs[word] ?? node;
    length += 1;
  }
  return { path: words.slice(0, length), node };
}

/** The words of every command that there is. */
export const commandPaths = (): string[][] => pathsOf(COMMANDS);

/** The words of every command of a table. */
function pathsOf(nodes: Record<string, Verb | Noun>): string[][] {
  return Object.entries(nodes).flatMap(([name, node]) =>
    'verbs' in node ? pathsOf(node.verbs).map((path) => [name, ...path]) : [[name]],
  );
}
