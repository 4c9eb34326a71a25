/** formulary service start */

import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { escapeControls } from '../../output/escape.ts';
import type { DefineCommand } from '../../program/define.ts';
import { dataOption, parseRate } from '../../program/flags.ts';
import { createApp } from '../../service/app.ts';
import { createFirstApplication, findApplication, parseServiceKey } from '../../service/applications.ts';
import { listen } from '../../service/listen.ts';
import { HEARING, retryWhileBusy } from '../../service/store/libsql.ts';
import { openStore } from '../../service/store/store.ts';
import { resolveKeyHeader } from '../../settings/key-sources.ts';
import { shellQuotePath } from '../../text/shell-quote.ts';
import { resolveDataFile } from './data-file.ts';

export const start: DefineCommand = (command, host) => {
  command
    .summary('serve the embedded service on this machine')
    .description(
      'Serve the embedded service over HTTP on 127.0.0.1 until SIGINT or SIGTERM. When it is ready, its base address is printed. A data file without an application gets a management application, with FORMULARY_SERVICE_KEY as its key, or a new key that is shown once on stderr.',
    )
    .option('--port <number>', 'port to listen on; 0 is any free one', '0')
    .addOption(dataOption())
    .option('--api-key-header <name>', 'header that carries the key (SVC-API-KEY) [FORMULARY_API_KEY_HEADER]')
    .option('--rate <number/s>', 'answer at most so many requests a second, and 429 above')
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
      const store = await openStore(file, { ...HEARING, stopping: stopping.signal });
      try {
        const app = createApp(store, { apiKeyHeader, now: host.now, ...(rate !== undefined && { rate }) });
        const service = await listen(app, port);
        try {
          const createdKey = await retryWhileBusy(
            () => createFirstApplication(store, chosen, host.now()),
            stopping.signal,
          );
          if (createdKey !== undefined)
            host.stderr.write(`a management application was made; its key, shown once: ${createdKey}\n`);
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
  `note: FORMULARY_SERVICE_KEY is not used, since ${escapeControls(file)} has applications, none of them with this key; more are made with: formulary service application create --data ${escapeControls(shellQuotePath(file, platform))}\n`;

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CliError(
    'usage',
    `--port ${text === '' ? 'is empty' : `${text} is not a port`}; wanted is a number from 0 to 65535`,
  );
}
