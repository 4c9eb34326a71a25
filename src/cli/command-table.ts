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
        examples: ['--local', '--application-type management --json'],
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
        examples: [
          'my-formula',
          'my-formula --template ts --no-input',
          'my-formula --template sign --name "Sign a payload" --description "Signs a payload"',
        ],
        load: async () => (await import('../commands/formula/init.ts')).init,
      },
      validate: {
        summary: 'Check formula folders offline',
        writes: 'files',
        exitCodes: ['invalid'],
        result: 'validate',
        examples: ['my-formula', 'formulas --strict --report junit=report.xml', 'formulas --json'],
        load: async () => (await import('../commands/formula/validate.ts')).validate,
      },
      types: {
        summary: 'Generate TypeScript types from the manifest',
        writes: 'files',
        exitCodes: ['invalid'],
        examples: ['my-formula'],
        load: async () => (await import('../commands/formula/types.ts')).types,
      },
      run: {
        summary: "Run a formula's code locally",
        writes: 'files',
        exitCodes: ['failed', 'invalid'],
        result: 'run',
        examples: [
          `my-formula --args '{"card":{"number":"4242"}}' --configuration '{"BRANDS":"visa"}'`,
          'my-formula --args @args.json --configuration @configuration.json --json',
        ],
        load: async () => (await import('../commands/formula/run.ts')).run,
      },
      test: {
        summary: "Run a formula's tests",
        writes: 'files',
        exitCodes: ['failed', 'invalid', 'differs'],
        result: 'test',
        examples: [
          'my-formula',
          'formulas --report junit=report.xml',
          'my-formula -t "invalid card"',
          'my-formula --update',
          'my-formula --compare remote --local',
        ],
        load: async () => (await import('../commands/formula/test.ts')).test,
      },
      status: {
        summary: 'Show which commit of each folder is live',
        writes: 'nothing',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'invalid', 'denied', 'partial', 'unavailable'],
        result: 'status',
        examples: ['formulas --local', 'formulas --json --local'],
        load: async () => (await import('../commands/formula/status.ts')).status,
      },
      dev: {
        summary: 'Start the local workbench',
        writes: 'files',
        exitCodes: [],
        examples: ['', 'formulas --port 4400'],
        load: async () => (await import('../commands/formula/dev.ts')).dev,
      },
      create: {
        summary: 'Create one formula from a folder',
        writes: 'service',
        permissions: ['reactor:read', 'reactor:create'],
        exitCodes: ['failed', 'invalid', 'denied', 'conflict', 'partial', 'unavailable', 'unknown'],
        result: 'formula',
        examples: ['my-formula --local', 'my-formula --dry-run --json'],
        load: async () => (await import('../commands/formula/create.ts')).create,
      },
      list: {
        summary: 'List the formulas on the service',
        writes: 'nothing',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'denied', 'unavailable'],
        result: 'formulas',
        examples: ['--local', '--name "card*" --type private --json'],
        load: async () => (await import('../commands/formula/list.ts')).list,
      },
      get: {
        summary: 'Show one formula',
        writes: 'nothing',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'denied', 'not_found', 'conflict', 'unavailable'],
        result: 'formula',
        examples: ['"Tokenize a card" --local', '"Tokenize a card" --code --local > code.js'],
        load: async () => (await import('../commands/formula/get.ts')).get,
      },
      update: {
        summary: 'Update one formula from a folder',
        writes: 'service',
        permissions: ['reactor:read', 'reactor:update'],
        exitCodes: ['failed', 'invalid', 'denied', 'not_found', 'conflict', 'partial', 'unavailable', 'unknown'],
        result: 'formula',
        examples: ['my-formula --local', '"Tokenize a card" my-formula --dry-run --json'],
        load: async () => (await import('../commands/formula/update.ts')).update,
      },
      delete: {
        summary: 'Delete formulas',
        writes: 'service',
        permissions: ['reactor:read', 'reactor:delete'],
        exitCodes: ['failed', 'denied', 'not_found', 'conflict', 'partial', 'unavailable', 'unknown'],
        result: 'delete',
        examples: ['"Tokenize a card" --local', '"Tokenize a card" --yes --json'],
        load: async () => (await import('../commands/formula/delete.ts')).remove,
      },
      diff: {
        summary: 'Show differences between folders and the service',
        writes: 'files',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'invalid', 'denied', 'unavailable', 'differs'],
        result: 'diff',
        examples: ['formulas --local', 'formulas --json --local', 'formulas --out plan.json --local'],
        load: async () => (await import('../commands/formula/diff.ts')).diff,
      },
      push: {
        summary: 'Publish formulas',
        writes: 'service',
        permissions: ['reactor:read', 'reactor:create', 'reactor:update', 'reactor:delete'],
        exitCodes: ['failed', 'invalid', 'denied', 'conflict', 'partial', 'unavailable', 'unknown'],
        result: 'push',
        examples: [
          'formulas --local',
          'formulas --dry-run --local',
          'formulas --prune --yes --json --local',
          '--plan plan.json --local',
        ],
        load: async () => (await import('../commands/formula/push.ts')).push,
      },
      pull: {
        summary: 'Download formulas',
        writes: 'files',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'invalid', 'denied', 'not_found', 'conflict', 'partial', 'unavailable', 'differs'],
        result: 'pull',
        examples: ['--dir formulas --local', '"Tokenize a card" --force --json'],
        load: async () => (await import('../commands/formula/pull.ts')).pull,
      },
      edit: {
        summary: 'Edit many manifests at once',
        writes: 'files',
        exitCodes: ['invalid', 'not_found', 'partial', 'differs'],
        result: 'edit',
        examples: [
          "formulas --set 'configuration[BRANDS].description=Accepted brands'",
          "formulas --name 'Tokenize*' --set 'request_parameters[card.year].optional=false' --dry-run",
          `formulas --set-json 'request_parameters[currency]={"type": "string", "optional": true}'`,
        ],
        load: async () => (await import('../commands/formula/edit.ts')).edit,
      },
      link: {
        summary: 'Link a folder to a formula',
        writes: 'files',
        permissions: ['reactor:read'],
        exitCodes: ['failed', 'invalid', 'denied', 'not_found', 'conflict', 'unavailable'],
        result: 'link',
        examples: ['my-formula 0b6f8a3e-90c5-4a3f-8f0e-2f4a53a1c7de --base-url https://api.example.com'],
        load: async () => (await import('../commands/formula/link.ts')).link,
      },
      unlink: {
        summary: 'Remove the link of a folder',
        writes: 'files',
        exitCodes: ['invalid', 'not_found'],
        result: 'link',
        examples: ['my-formula --base-url https://api.example.com'],
        load: async () => (await import('../commands/formula/unlink.ts')).unlink,
      },
      history: {
        summary: 'List saved versions',
        writes: 'nothing',
        exitCodes: [],
        result: 'history',
        examples: ['', '"Tokenize a card" --json', '--show ENTRY --local'],
        load: async () => (await import('../commands/formula/history.ts')).history,
      },
      restore: {
        summary: 'Restore a saved version',
        writes: 'service',
        permissions: ['reactor:read', 'reactor:create', 'reactor:update'],
        exitCodes: ['failed', 'denied', 'not_found', 'conflict', 'partial', 'unavailable', 'unknown'],
        result: 'formula',
        examples: ['"Tokenize a card" --local', 'ENTRY --local --yes'],
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
