/** Whom to trust when more than the usual certificates count. */
import tls, { type SecureContext } from 'node:tls';

/** Trusts these certificates (PEM) beside those that Node.js trusts by itself; to name any replaces its own. */
export function createTlsContext(certificates: readonly string[]): SecureContext {
  // Newer than Node.js 20: also has those of the system, where Node.js was told to use them.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return tls.createSecureContext({
    ca: [...(getCACertificates?.('default') ?? tls.rootCertificates), ...certificates],
  });
}
