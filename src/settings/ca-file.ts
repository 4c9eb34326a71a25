/** Reads additional CA certificates: --ca-file, and NODE_EXTRA_CA_CERTS. */
import { X509Certificate } from 'node:crypto';
import { CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import { readNamedFile } from '../files/regular-file.ts';

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

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
    return file ? findCertificates(readNamedFile(file).toString('latin1')) : [];
  } catch {
    return [];
  }
}

function readCaFileText(file: string): string {
  try {
    return readNamedFile(file).toString('latin1');
  } catch (error) {
    throw new CliError('usage', `--ca-file ${file} cannot be read: ${describeFsError(error)}`, {
      hint: 'Use a file with certificates in PEM format (-----BEGIN CERTIFICATE-----).',
    });
  }
}

const findCertificates = (text: string): string[] => text.match(CERTIFICATE_BLOCK) ?? [];

function isValidCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
