/** Hashes and random ids. node:crypto is slow to load, so it is loaded on first use. */

const loadCrypto = () => process.getBuiltinModule('node:crypto');

/** The SHA-256 of a text (as UTF-8) or bytes. */
export const sha256 = (content: string | Uint8Array): Buffer =>
  loadCrypto().createHash('sha256').update(content).digest();

/** A random UUID. */
export const randomId = (): string => loadCrypto().randomUUID();
