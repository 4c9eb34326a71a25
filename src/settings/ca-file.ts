/** Reads files of further certificates to trust: --ca-file, and NODE_EXTRA_CA_CERTS beside it. */
import { X509Certificate } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { CliError } from '../errors.ts';

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;
/** Many times what all authorities of the world take. */
const MAX_BYTES = 16 * 2 ** 20;
const CHUNK_BYTES = 2 ** 16;

/** The certificates of a PEM file, one text each. Raises usage (2) for a file that is unreadable, holds none, or a broken one. */
export function readCaFile(file: string): string[] {
  const certificates = findCertificates(readCaFileText(file));
  const hint = 'wanted is a file with certificates in PEM form (-----BEGIN CERTIFICATE-----)';
  if (certificates.length === 0) throw new CliError('usage', `--ca-file ${file} has no certificate in it`, { hint });
  const broken = certificates.findIndex((block) => !isValidCertificate(block));
  if (broken < 0) return certificates;
  throw new CliError('usage', `--ca-file ${file}: certificate ${broken + 1} of ${certificates.length} is broken`, {
    hint,
  });
}

/** Those of NODE_EXTRA_CA_CERTS; of a file that cannot be read there are none, as Node.js itself has warned by then. */
export function readExtraCertificates(file: string | undefined): string[] {
  try {
    return file ? findCertificates(readLimited(file)) : [];
  } catch {
    return [];
  }
}

function readCaFileText(file: string): string {
  try {
    return readLimited(file);
  } catch (error) {
    throw new CliError('usage', `--ca-file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      hint: 'name a file that holds the certificate of the authority, in PEM form',
    });
  }
}

/** The text of a file or a pipe, which need not have an end. Throws an error with a code. */
function readLimited(file: string): string {
  const handle = openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let size = 0; size <= MAX_BYTES; ) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const count = readSync(handle, chunk);
      if (count === 0) return Buffer.concat(chunks).toString('latin1');
      chunks.push(chunk.subarray(0, count));
      size += count;
    }
  } finally {
    closeSync(handle);
  }
  throw Object.assign(new Error(`${file} is too large`), { code: `it is larger than ${MAX_BYTES / 2 ** 20} MB` });
}

const findCertificates = (text: string): string[] => text.match(CERTIFICATE_BLOCK) ?? [];

function isValidCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
