/** Types of parts of undici, which has none for them; all of undici takes several times as long to load. */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}

declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';

  const pool: typeof Pool;
  export default pool;
}

declare module 'undici/lib/api/api-connect.js' {
  import type { Socket } from 'node:net';
  import type { Dispatcher } from 'undici';

  const connect: (
    this: Dispatcher,
    options: Omit<Dispatcher.ConnectOptions, 'origin'>,
  ) => Promise<{ statusCode: number; socket: Socket }>;
  export default connect;
}

declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net';
  import type { buildConnector } from 'undici';

  /** Returns the connecting socket, if it exists already. */
  export type Connect = (options: buildConnector.Options, done: buildConnector.Callback) => Socket | undefined;
  const build: (options: buildConnector.BuildOptions) => Connect;
  export default build;
}
