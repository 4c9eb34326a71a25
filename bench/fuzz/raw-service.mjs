/** A port that sends its responses in turn, byte for byte, and then repeats the last one. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** `answers`: {bytes, pieces: number of writes, ending: end, reset, keep, or hold}. Set them with `serve`. */
export async function startRawService() {
  let answers = [];
  const open = new Set();
  const server = createServer((socket) => {
    open.add(socket);
    let asked = '';
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      asked += bytes.toString('latin1');
      // The tool asks whether this is TLS; it is not.
      if (bytes[0] === 0x16) return socket.destroy();
      const [head = '', ...body] = asked.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body.length === 0 || body.join('\r\n\r\n').length < length) return;
      asked = '';
      give(socket, answers.length > 1 ? answers.shift() : answers[0]);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    serve: (list) => {
      answers = [...list];
    },
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

function give(socket, { bytes, pieces, ending }) {
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  const writeFrom = (from) => {
    if (socket.destroyed) return;
    socket.write(bytes.subarray(from, from + size));
    if (from + size < bytes.length) setImmediate(() => writeFrom(from + size));
    else if (ending === 'end') socket.end();
    else if (ending === 'reset') setImmediate(() => socket.resetAndDestroy());
  };
  writeFrom(0);
}
