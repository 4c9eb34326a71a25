/** Reads files of further certificates to trust: --ca-file, and NODE_EXTRA_CA_CERTS beside it. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CliError } from '../errors.ts';

const BLOCK = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

/** The certificates of a PEM file, one text each. Raises usage (2) for a file that is unreadable, holds none, or a broken one. */
export function readCaFile(file: string): string[] {
  const blocks = blocksOf(contentOf(file));
  const hint = 'wanted is a file with certificates in PEM form (-----BEGIN CERTIFICATE-----)';
  if (blocks.length === 0) throw new CliError('usage', `--ca-file ${file} has no certificate in it`, { hint });
  const broken = blocks.findIndex((block) => !isCertificate(block));
  if (broken < 0) return blocks;
  throw new CliError('usage', `--ca-file ${file}: certificate ${broken + 1} of ${blocks.length} is broken`, { hint });
}

/** Those of NODE_EXTRA_CA_CERTS; of a file that cannot be read there are none, as Node.js itself has warned by then. */
export function readExtraCertificates(file: string | undefined): string[] {
  try {
    return file ? blocksOf(readFileSync(file, 'latin1')) : [];
  } catch {
    return [];
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    throw new CliError('usage', `--ca-file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      hint: 'name a file that holds the certificate of the authority, in PEM form',
    });
  }
}

const blocksOf = (text: string): string[] => text.match(BLOCK) ?? [];

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
