/** What the road to a base address needs: a proxy, further certificates, and leave to travel unencrypted. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { isLoopback } from './base-url.ts';
import type { HttpProxy } from './proxy.ts';

export interface NetworkFlags {
  insecureHttp?: boolean | undefined;
  caFile?: string | undefined;
}

export interface ConnectionSettings {
  proxy?: HttpProxy | undefined;
  /** Trusted beside those that Node.js trusts by itself, as PEM. */
  certificates?: readonly string[] | undefined;
  /** The host that the key travels to unencrypted, which --insecure-http allowed. */
  unencryptedHost?: string | undefined;
}

/** Raises usage (2) for a proxy or a file that cannot be used, and where a proxy would bring the key out unencrypted. */
export async function resolveConnectionSettings(
  url: URL,
  flags: NetworkFlags,
  host: Host,
): Promise<ConnectionSettings> {
  const proxy = await loadProxy(url, host);
  const unencryptedHost = findUnencryptedHost(url, proxy);
  if (unencryptedHost !== undefined && !flags.insecureHttp) {
    const message = `${url.origin} is http://: the key would travel unencrypted to the proxy ${unencryptedHost}`;
    throw new CliError('usage', message, {
      hint: `exempt the address from the proxy with NO_PROXY=${url.hostname}, or allow it with --insecure-http`,
    });
  }
  return { proxy, unencryptedHost, certificates: await loadCertificates(flags, host) };
}

/** The other machine that http:// brings the key to, if it does. */
function findUnencryptedHost(url: URL, proxy: HttpProxy | undefined): string | undefined {
  if (url.protocol !== 'http:') return undefined;
  return [proxy?.url, url].find((hop) => hop && !isLoopback(hop))?.host;
}

/** Loaded only where a variable could name a proxy. */
async function loadProxy(url: URL, { env }: Host): Promise<HttpProxy | undefined> {
  if (!Object.keys(env).some((name) => /_proxy$/i.test(name) && env[name])) return undefined;
  return (await import('./proxy.ts')).findProxy(url, env);
}

async function loadCertificates({ caFile }: NetworkFlags, { env }: Host): Promise<string[] | undefined> {
  if (caFile === undefined) return undefined;
  const { readCaFile, readExtraCertificates } = await import('./ca-file.ts');
  return [...readCaFile(caFile), ...readExtraCertificates(env['NODE_EXTRA_CA_CERTS'])];
}
