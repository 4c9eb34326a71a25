/** Hashes and random names. node:crypto takes longer to load than most commands to start, so it is loaded when first used. */

const loadCrypto = () => process.getBuiltinModule('node:crypto');

/** The SHA-256 of a text (as UTF-8) or bytes. */
export const sha256 = (content: string | Uint8Array): Buffer =>
  loadCrypto().createHash('sha256').update(content).digest();

/** A random UUID. */
export const randomId = (): string => loadCrypto().randomUUID();
