import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `::ffff:192.0.2.1` is the same host as `192.0.2.1`. Some proxies write the client's port behind its address. */
function read(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = WITH_PORT.exec(text)?.slice(1).find(Boolean) ?? text;
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
}

/** `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:(\d+(?:\.\d+){3})|\[([\da-f:.]+)\]):\d+$/i;

/**
 * Whether an address, or a block in CIDR notation, can stand in an allow-list. The library also reads short, octal and hexadecimal forms,
 * such as 010.1.2.3 for 8.1.2.3: whoever writes one means another address.
 */
export function isAddressOrBlock(text: string): boolean {
  const [address = ''] = text.split('/', 1);
  return isIP(address) !== 0 && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text));
}

/** Whether a client's address lies in one of the allowed addresses and blocks; an empty list allows every address. */
export function isAllowedAddress(address: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  const client = read(address);
  return client !== undefined && allowed.some((entry) => contains(entry, client));
}

function contains(entry: string, client: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (!entry.includes('/')) return read(entry)?.toNormalizedString() === client.toNormalizedString();
  const [network, bits] = readBlock(entry);
  return network.kind() === client.kind() && client.match([network, bits] as never);
}

/** `::ffff:10.0.0.0/104` is the same block as `10.0.0.0/8`, as its addresses are the same. */
function readBlock(text: string): readonly [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [network, bits] = ipaddr.parseCIDR(text);
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= MAPPED_BITS;
  return isMapped ? [network.toIPv4Address(), bits - MAPPED_BITS] : [network, bits];
}

/** Of an IPv6 address that stand before the one of IPv4. */
const MAPPED_BITS = 96;

const MAPPED_IPV4 = '::ffff:';

/** The key under which failed attempts are counted: an IPv6 host can use a whole /64. */
export function addressGroup(address: string): string {
  // Asked for every connection: an address in its usual form is not read into its parts.
  const plain = address.startsWith(MAPPED_IPV4) ? address.slice(MAPPED_IPV4.length) : address;
  if (isIPv4(plain)) return plain;
  const client = read(address);
  if (!client) return 'unknown';
  return client.kind() === 'ipv6' ? (client as ipaddr.IPv6).parts.slice(0, 4).join(':') : client.toString();
}
