/** Trusts additional CA certificates. */
import tls, { type SecureContext } from 'node:tls';

/** Trusts these certificates (PEM) in addition to those of Node.js, which `ca` would replace. */
export function createTlsContext(certificates: readonly string[]): SecureContext {
  // Newer than Node.js 20; includes the system's certificates if Node.js is configured to use them.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return tls.createSecureContext({
    ca: [...(getCACertificates?.('default') ?? tls.rootCertificates), ...certificates],
  });
}
