/** Reads additional CA certificates: --ca-file, and NODE_EXTRA_CA_CERTS. */
import { X509Certificate } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { CliError } from '../errors.ts';

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;
/** Many times the size of all public CA certificates. */
const MAX_BYTES = 16 * 2 ** 20;
const CHUNK_BYTES = 2 ** 16;

/** Reads the certificates of a PEM file. Raises usage (2) for an unreadable file, one without certificates, or an invalid certificate. */
export function readCaFile(file: string): string[] {
  const certificates = findCertificates(readCaFileText(file));
  const hint = 'Use a file with certificates in PEM format (-----BEGIN CERTIFICATE-----).';
  if (certificates.length === 0) throw new CliError('usage', `--ca-file ${file} contains no certificate`, { hint });
  const invalid = certificates.findIndex((block) => !isValidCertificate(block));
  if (invalid < 0) return certificates;
  throw new CliError('usage', `--ca-file ${file}: certificate ${invalid + 1} of ${certificates.length} is invalid`, {
    hint,
  });
}

/** Reads NODE_EXTRA_CA_CERTS; an unreadable file is ignored, because Node.js has already warned. */
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
      hint: 'Use a file with certificates in PEM format (-----BEGIN CERTIFICATE-----).',
    });
  }
}

/** Reads a file or a pipe up to the limit. Throws an error with a code. */
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
