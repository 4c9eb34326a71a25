/** formulary service start */

import type { Host } from '../../host/host.ts';
import { escapeControls } from '../../output/escape.ts';
import type { DefineCommand } from '../../program/define.ts';
import { dataOption, parseRate } from '../../program/flags.ts';
import { parsePort } from '../../program/port.ts';
import { createApp } from '../../service/app.ts';
import { createFirstApplication, findApplication, parseServiceKey } from '../../service/applications.ts';
import { listen } from '../../service/listen.ts';
import { retryWhileBusy, SHORT_WAIT } from '../../service/store/libsql.ts';
import { openStore } from '../../service/store/store.ts';
import { resolveKeyHeader } from '../../settings/key-sources.ts';
import { shellQuotePath } from '../../text/shell-quote.ts';
import { resolveDataFile } from './data-file.ts';

export const start: DefineCommand = (command, host) => {
  command
    .description(
      'Serve the embedded service over HTTP on 127.0.0.1 until SIGINT or SIGTERM. Prints its base URL when it is ready. If the data file has no applications, a management application is created; its key is FORMULARY_SERVICE_KEY, otherwise a new key that is shown only once, on stderr.',
    )
    .option('--port <number>', 'port to listen on; 0 for any free port', '0')
    .addOption(dataOption())
    .option(
      '--api-key-header <name>',
      'request header for the API key (default: SVC-API-KEY) (env: FORMULARY_API_KEY_HEADER)',
    )
    .option('--rate <number/s>', 'requests per second before returning 429')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary service start --port 8600\n  FORMULARY_SERVICE_KEY=key-to-try formulary service start --data /tmp/try.db',
    )
    .action(async (flags) => {
      const port = parsePort(flags.port);
      const apiKeyHeader = resolveKeyHeader(flags.apiKeyHeader, host);
      const rate = parseRate(flags.rate, '--rate');
      const chosen = parseServiceKey(host.env['FORMULARY_SERVICE_KEY']);
      const stopping = new AbortController();
      const stopped = host.waitForSignal().then((signal) => stopping.abort(signal));
      const file = resolveDataFile(flags, host);
      const store = await openStore(file, { ...SHORT_WAIT, abortSignal: stopping.signal });
      try {
        const app = createApp(store, { apiKeyHeader, now: host.now, ...(rate !== undefined && { rate }) });
        const service = await listen(app, port);
        try {
          const createdKey = await retryWhileBusy(
            () => createFirstApplication(store, chosen, host.now()),
            stopping.signal,
          );
          if (createdKey !== undefined)
            host.stderr.write(`Created a management application. Its API key (shown only once):\n${createdKey}\n`);
          if (chosen !== undefined && !findApplication(store, chosen))
            host.stderr.write(formatUnusedKeyNote(file, host));
          host.stdout.write(`${service.baseUrl}\n`);
          await stopped;
        } finally {
          await service.close();
        }
      } finally {
        store.close();
      }
    });
};

const formatUnusedKeyNote = (file: string, { platform }: Host) =>
  `note: FORMULARY_SERVICE_KEY is not used: no application in ${escapeControls(file)} has this key\nTo create one, run: formulary service application create --data ${escapeControls(shellQuotePath(file, platform))}\n`;
