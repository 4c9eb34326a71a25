/** Matches URLs against NO_PROXY, with the grammar of curl. Pure. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/**
 * Entries of `list` are separated by commas or spaces: `*`, a name (which includes its subdomains, with or without a
 * leading `.` or `*.`), an IP address, or a range such as 10.0.0.0/8. All but a range may end in a port. Names are not
 * resolved: a range matches only IP addresses.
 */
export function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  const port = Number(url.port) || DEFAULT_PORTS[url.protocol];
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [name, entryPort] = parseEntry(entry);
      return (entryPort === undefined || entryPort === port) && isMatch(host, name);
    });
}

/** `name`, `name:port`, `::1`, `[::1]`, `[::1]:port`. */
function parseEntry(entry: string): [name: string, port?: number] {
  if (isIPv6(entry)) return [entry];
  const [, bracketed, name = '', port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [
    undefined,
    undefined,
    entry,
  ];
  return port === undefined ? [bracketed ?? name] : [bracketed ?? name, Number(port)];
}

function isMatch(host: string, name: string): boolean {
  if (name === '*') return true;
  if (isIP(host)) return isInRange(host, name);
  const suffix = name.replace(/^\*?\./, '').replace(/\.$/, '');
  const domain = domainToASCII(suffix) || suffix;
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

/** A range is an address with a prefix length (default: all bits). */
function isInRange(address: string, range: string): boolean {
  const [first = '', length] = range.replace(/[[\]]/g, '').split('/');
  const bits = isIPv6(first) ? 128 : 32;
  if (!isIP(first) || (length !== undefined && !(/^\d+$/.test(length) && Number(length) <= bits))) return false;
  // Node.js would convert an IPv4 address to IPv6, and find it in ::/0.
  if (isIPv6(first) && !isIPv6(address)) return false;
  const block = new BlockList();
  block.addSubnet(first, Number(length ?? bits), isIPv6(first) ? 'ipv6' : 'ipv4');
  return block.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
