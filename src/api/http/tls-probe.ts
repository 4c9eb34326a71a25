/** Whether TLS is spoken at a port that ended an http:// request without a word. */
import { connect } from 'node:tls';

const LIMIT_MS = 2000;

/** Only shakes hands; nothing is sent, and no certificate trusted. */
export function probeTlsSupport(url: URL): Promise<boolean> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(url.port || 80), rejectUnauthorized: false });
    const end = (isTls: boolean) => {
      socket.destroy();
      resolve(isTls);
    };
    socket.setTimeout(LIMIT_MS, () => end(false));
    socket.once('secureConnect', () => end(true));
    socket.on('error', () => end(false));
    socket.once('close', () => resolve(false));
  });
}
