/** Reads additional CA certificates: --ca-file, and NODE_EXTRA_CA_CERTS. */
import { X509Certificate } from 'node:crypto';
import { attempt, CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import { readNamedFile } from '../files/regular-file.ts';

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

const HINT = 'Use a file with certificates in PEM format (-----BEGIN CERTIFICATE-----).';

/** Reads the certificates of a PEM file. Raises usage (2) for an unreadable file, one without certificates, or an invalid certificate. */
export function readCaFile(file: string): string[] {
  const fail = (problem: string) => new CliError('usage', `--ca-file ${file}${problem}`, { hint: HINT });
  let certificates: string[];
  try {
    certificates = findCertificates(file);
  } catch (error) {
    throw fail(` cannot be read: ${describeFsError(error)}`);
  }
  if (certificates.length === 0) throw fail(' contains no certificate');
  const invalid = certificates.findIndex((block) => !attempt(() => new X509Certificate(block)));
  if (invalid < 0) return certificates;
  throw fail(`: certificate ${invalid + 1} of ${certificates.length} is invalid`);
}

/** Reads NODE_EXTRA_CA_CERTS; an unreadable file is ignored, because Node.js has already warned. */
export const readExtraCertificates = (file: string | undefined): string[] =>
  (file && attempt(() => findCertificates(file))) || [];

/** Throws the file system's error. */
const findCertificates = (file: string): string[] =>
  readNamedFile(file).toString('latin1').match(CERTIFICATE_BLOCK) ?? [];
