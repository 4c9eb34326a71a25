/** Resolves proxy, additional certificates, and permission for unencrypted requests. */
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
  /** Trusted in addition to those of Node.js; PEM. */
  certificates?: readonly string[] | undefined;
  /** The host that the key is sent to unencrypted, with --insecure-http. */
  unencryptedHost?: string | undefined;
}

/** Raises usage (2) for an invalid proxy or CA file, and if the key would be sent unencrypted to a proxy. */
export async function resolveConnectionSettings(
  url: URL,
  flags: NetworkFlags,
  host: Host,
): Promise<ConnectionSettings> {
  const proxy = await loadProxy(url, host);
  const unencryptedHost = findUnencryptedHost(url, proxy);
  if (unencryptedHost !== undefined && !flags.insecureHttp) {
    const message = `${url.origin} is http://: the key would be sent unencrypted to the proxy ${unencryptedHost}`;
    throw new CliError('usage', message, {
      hint: `Bypass the proxy with NO_PROXY=${url.hostname}, or pass --insecure-http.`,
    });
  }
  return { proxy, unencryptedHost, certificates: await loadCertificates(flags, host) };
}

/** The first other computer that gets the key over http://. */
function findUnencryptedHost(url: URL, proxy: HttpProxy | undefined): string | undefined {
  if (url.protocol !== 'http:') return undefined;
  return [proxy?.url, url].find((hop) => hop && !isLoopback(hop))?.host;
}

/** Loads the module only if a proxy variable is set. */
async function loadProxy(url: URL, { env }: Host): Promise<HttpProxy | undefined> {
  if (!Object.keys(env).some((name) => /_proxy$/i.test(name) && env[name])) return undefined;
  return (await import('./proxy.ts')).findProxy(url, env);
}

async function loadCertificates({ caFile }: NetworkFlags, { env }: Host): Promise<string[] | undefined> {
  if (caFile === undefined) return undefined;
  const { readCaFile, readExtraCertificates } = await import('./ca-file.ts');
  return [...readCaFile(caFile), ...readExtraCertificates(env['NODE_EXTRA_CA_CERTS'])];
}
