/** formulary service start */

import type { DefineCommand } from '../../cli/define.ts';
import { untilAborted } from '../../host/abort.ts';
import type { Host } from '../../host/host.ts';
import { escapeControls } from '../../output/escape.ts';
import { wrapMessage } from '../../output/wrap-message.ts';
import { type App, createApp } from '../../service/app.ts';
import { createFirstApplication, findApplication, parseServiceKey } from '../../service/applications.ts';
import { listen } from '../../service/listen.ts';
import { retryWhileBusy, SHORT_WAIT } from '../../service/store/libsql.ts';
import { openStore } from '../../service/store/store.ts';
import { dataOption, parseRate } from '../../session/flags.ts';
import { parsePort } from '../../session/port.ts';
import { resolveKeyHeader } from '../../settings/key-sources.ts';
import { resolveDataFile } from './data-file.ts';

export const start: DefineCommand = (command, host, setOutcome) => {
  command
    .description(
      'Serve the embedded service over HTTP on 127.0.0.1 until SIGINT or SIGTERM. Prints its base URL when it is ready. If the data file has no applications, a management application is created; its key is FORMULARY_SERVICE_KEY, otherwise a new key that is shown only once, on stderr.',
    )
    .option('--port <number>', 'port to listen on (default: any free port)')
    .addOption(dataOption())
    .option(
      '--api-key-header <name>',
      'request header for the API key (default: SVC-API-KEY) (env: FORMULARY_API_KEY_HEADER)',
    )
    .option('--rate <number/s>', 'maximum requests per second; others get 429')
    .option('--quiet', 'print no instructions and no line per request')
    .action(async (flags) => {
      const port = parsePort(flags.port);
      const apiKeyHeader = resolveKeyHeader(flags.apiKeyHeader, host);
      const rate = parseRate(flags.rate, '--rate');
      const chosen = parseServiceKey(host.env['FORMULARY_SERVICE_KEY']);
      host.installSignalHandlers();
      const file = resolveDataFile(flags, host);
      const store = await openStore(file, { ...SHORT_WAIT, abortSignal: host.abortSignal });
      try {
        const app = createApp(store, { apiKeyHeader, now: host.now, rate });
        const service = await listen(flags.quiet ? app : withRequestLog(app, host), port);
        try {
          const createdKey = await retryWhileBusy(
            () => createFirstApplication(store, chosen, host.now()),
            host.abortSignal,
          );
          if (createdKey !== undefined)
            host.stderr.write(`Created a management application. Its API key (shown only once):\n${createdKey}\n`);
          if (chosen !== undefined && !findApplication(store, chosen))
            host.stderr.write(`${wrapMessage(escapeControls(formatUnusedKeyNote(file)), host.stderr)}\n`);
          host.stdout.write(`${service.baseUrl}\n`);
          if (!flags.quiet) host.stderr.write(formatInstructions(service.baseUrl, createdKey, host));
          await untilAborted(host.abortSignal);
        } finally {
          await service.close();
        }
      } finally {
        store.close();
      }
      setOutcome('stopped');
    });
};

/** How to stop the service, and how to use it; a key that is not new is not known. */
function formatInstructions(baseUrl: string, key: string | undefined, { platform }: Host): string {
  const setVariable = (name: string, value: string) =>
    platform === 'win32' ? `$env:${name} = "${value}"` : `export ${name}=${value}`;
  return [
    'Listening on 127.0.0.1 only. Press Ctrl-C to stop. To use the service, set:',
    `  ${setVariable('FORMULARY_BASE_URL', baseUrl)}`,
    `  ${setVariable('FORMULARY_API_KEY', key ?? (platform === 'win32' ? '<key>' : "'<key>'"))}`,
    '',
  ].join('\n');
}

/** Prints a line for each request: time, method, path, status, and duration; no header, and so no key. */
const withRequestLog = (app: App, host: Host): App => ({
  fetch: async (request) => {
    const startedAt = host.now();
    const response = await app.fetch(request);
    const time = startedAt.toISOString().slice(11, 19);
    const milliseconds = host.now().getTime() - startedAt.getTime();
    const path = new URL(request.url).pathname;
    host.stderr.write(`${escapeControls(`${time} ${request.method} ${path} ${response.status} ${milliseconds} ms`)}\n`);
    return response;
  },
});

const formatUnusedKeyNote = (file: string) =>
  `note: FORMULARY_SERVICE_KEY is not used: ${file} has applications, but none with this key. To use the key, pass a new file with --data.`;
