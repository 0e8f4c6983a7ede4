import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What an address is for. Connections are allowed only to `public`; the other names are those of the IANA registries. */
export type AddressClass = 'public' | RefusedAddressClass;

/** Why a host is not public: its address, or a name that leads to internal addresses. */
export type RefusedHostClass = RefusedAddressClass | 'local_name';

export type RefusedAddressClass = keyof typeof ADDRESS_CLASSES;

/** Every class of refused addresses, in words that follow "is". */
const ADDRESS_CLASSES = {
  loopback: 'a loopback address',
  private: 'a private address',
  link_local: 'a link-local address',
  carrier_grade_nat: 'a carrier-grade NAT address',
  metadata: 'the metadata address of a cloud',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  unspecified: 'an unspecified address',
  documentation: 'a documentation address',
  benchmark: 'a benchmark address',
  reserved: 'a reserved address',
  unique_local: 'a unique local address',
  site_local: 'a site-local address',
  ipv4_mapped: 'an IPv4-mapped address',
  ipv4_compatible: 'an IPv4-compatible address',
  ipv4_translated: 'an IPv4-translated address',
  nat64: 'a NAT64 address',
  six_to_four: 'a 6to4 address',
  teredo: 'a Teredo address',
  isatap: 'an ISATAP address',
  unreadable: 'not an address',
} as const;

/** Ranges that `ipaddr.js` does not know, or classifies too widely. The first match counts. */
const BLOCKS = blocks({
  metadata: [
    // Several clouds; the next two are Amazon's for containers and name service.
    '169.254.169.254/32',
    '169.254.170.2/32',
    '169.254.169.253/32',
    'fd00:ec2::/32',
    // Google, Alibaba, Azure (a public address used internally), Oracle, Scaleway.
    'fd20:ce::254/128',
    '100.100.100.200/32',
    '168.63.129.16/32',
    '192.0.0.192/32',
    'fd00:42::42/128',
  ],
  documentation: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  benchmark: ['198.18.0.0/15', '2001:2::/48'],
  six_to_four: ['2002::/16', '192.88.99.0/24'],
  loopback: ['::1/128'],
  unspecified: ['::/128'],
  ipv4_compatible: ['::/96'],
  // Returned by the 6bone.
  reserved: ['3ffe::/16'],
});

/** Names of `ipaddr.js` that are kept; every other name counts as `reserved`. */
const CLASS_OF_RANGE: Readonly<Record<string, AddressClass>> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  linkLocal: 'link_local',
  carrierGradeNat: 'carrier_grade_nat',
  multicast: 'multicast',
  broadcast: 'broadcast',
  unspecified: 'unspecified',
  uniqueLocal: 'unique_local',
  deprecatedSiteLocal: 'site_local',
  ipv4Mapped: 'ipv4_mapped',
  rfc6145: 'ipv4_translated',
  rfc6052: 'nat64',
  teredo: 'teredo',
};

/** The only part of IPv6 with addresses of hosts. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Names that no public name service answers, with all names below them. */
const LOCAL_NAMES = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];

/**
 * Classifies a host by its spelling alone. Nothing is resolved.
 *
 * @param hostname As in a parsed URL; an IPv6 address may have no brackets.
 */
export function classifyHost(hostname: string): 'public' | RefusedHostClass {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return classifyAddress(bare);
  return isLocalName(bare) ? 'local_name' : 'public';
}

/**
 * Classifies an address. An address that contains an IPv4 address is never public.
 *
 * @param address Four decimal numbers or IPv6, as a name service or a parsed URL gives it; any other spelling is `unreadable`.
 */
export function classifyAddress(address: string): AddressClass {
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return 'unreadable';
  const parsed = ipaddr.parse(address);
  const known = ipaddr.subnetMatch(parsed, BLOCKS, '') as AddressClass | '';
  if (known !== '') return known;
  const addressClass = CLASS_OF_RANGE[parsed.range()] ?? 'reserved';
  if (addressClass !== 'public' || !(parsed instanceof ipaddr.IPv6)) return addressClass;
  if (!parsed.match(GLOBAL_UNICAST)) return 'reserved';
  return isIsatap(parsed) ? 'isatap' : 'public';
}

/** In words that follow "is" or "resolves to". */
export function inWords(hostClass: RefusedHostClass): string {
  return hostClass === 'local_name' ? 'a name of the local network' : ADDRESS_CLASSES[hostClass];
}

/** A name without a full stop is completed by the resolver of the machine, so it is local too. */
function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.+$/, '');
  return !name.includes('.') || LOCAL_NAMES.some((local) => name === local || name.endsWith(`.${local}`));
}

/**
 * An IPv4 address behind any prefix.
 *
 * @see RFC 5214, section 6.1.
 */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return ((parts[4] ?? 0) & ~0x200) === 0 && parts[5] === 0x5efe;
}

function blocks(texts: Partial<Record<AddressClass, readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(texts).map(([name, list]) => [name, list.map((text) => ipaddr.parseCIDR(text))]),
  ) as Record<string, [ipaddr.IPv4 | ipaddr.IPv6, number][]>;
}
