import {
  classifyAddress,
  classifyHost,
  inWords,
  type RefusedAddressClass,
  type RefusedHostClass,
} from '../../domain/address-class.ts';

export type UrlRefusal = 'not_a_url' | 'plain_http' | 'scheme' | 'user_info' | 'fragment' | 'port' | RefusedHostClass;

export type EndpointUrlVerdict =
  /** `url` is the normal form, which is stored. */
  | { readonly status: 'accepted'; readonly url: string }
  /** `sentence` says why. Whoever tells it adds the next step. */
  | { readonly status: 'refused'; readonly reason: UrlRefusal; readonly sentence: string };

export interface GuardOptions {
  /** For development only: plain `http`, names of the local network and the addresses of private networks are also allowed. */
  readonly allowInsecure: boolean;
  /**
   * For a sandbox on the developer's own machine: 127.0.0.1 and ::1 are allowed, written as addresses, also with plain `http`. Names are
   * not.
   */
  readonly allowThisMachine?: boolean;
}

/** The classes that `allowInsecure` allows, where a developer's own receiver may be. */
const INSIDE: readonly RefusedHostClass[] = ['local_name', 'loopback', 'private', 'carrier_grade_nat', 'unique_local'];

const URL_SENTENCES = {
  not_a_url: 'The URL cannot be read.',
  plain_http:
    'The URL must begin with https. (A sandbox that allows this machine also takes http://127.0.0.1 and http://[::1], by address and not by name.)',
  scheme: 'The URL must begin with https.',
  user_info: 'The URL must not contain a user name or password.',
  fragment: 'The URL must not contain a fragment.',
} as const;

/** The hosts of receivers that a developer starts beside the service, as in a parsed URL. */
const THIS_MACHINE: readonly string[] = ['127.0.0.1', '[::1]', '::1'];

/** Whether this host, which is an address, is allowed without a check. */
function isThisMachine(hostname: string, { allowThisMachine = false }: GuardOptions): boolean {
  return allowThisMachine && THIS_MACHINE.includes(hostname);
}

/** Whether plain `http` is allowed there. */
export function allowsPlainHttp(hostname: string, options: GuardOptions): boolean {
  return options.allowInsecure || isThisMachine(hostname, options);
}

/** Lower ports belong to services that are no web servers; only these are allowed. */
const PORT_MIN = 1_024;
const PORT_OF: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/**
 * Whether an endpoint may be registered at this URL. It is checked as the WHATWG URL standard parses it, so that every spelling of an
 * address (octal, hexadecimal, short, percent-encoded, full-width) is the address itself. The addresses of a name are checked at every
 * connection.
 *
 * @param options `allowedPort`: a further port that an operator allows for this endpoint.
 * @see docs/spec/decisions.md#7-events, "Endpoints".
 */
export function checkEndpointUrl(text: string, options: GuardOptions & { readonly allowedPort?: number }): EndpointUrlVerdict {
  if (!URL.canParse(text)) return refuse('not_a_url');
  const url = new URL(text);
  if (url.protocol === 'http:' && !allowsPlainHttp(url.hostname, options)) return refuse('plain_http');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('scheme');
  if (url.username !== '' || url.password !== '') return refuse('user_info');
  // An empty fragment is none for `hash`.
  if (url.href.includes('#')) return refuse('fragment');
  const hostClass = findHostRefusal(url.hostname, options);
  if (hostClass) return { status: 'refused', reason: hostClass, sentence: `The URL's host is ${inWords(hostClass)}.` };
  const port = url.port === '' ? PORT_OF[url.protocol] : Number(url.port);
  if (port !== undefined && port < PORT_MIN && port !== PORT_OF[url.protocol] && port !== options.allowedPort)
    return { status: 'refused', reason: 'port', sentence: refusedPort(port) };
  return { status: 'accepted', url: url.href };
}

/**
 * Why nothing may be sent to this host, by its spelling alone.
 *
 * @param hostname As in a parsed URL; an IPv6 address may have no brackets.
 */
export function findHostRefusal(hostname: string, options: GuardOptions): RefusedHostClass | undefined {
  return isThisMachine(hostname, options) ? undefined : refusalOf(classifyHost(hostname), options);
}

/** Why a connection to this address of a name is refused: a name never leads to this machine unless all is allowed. */
export function findAddressRefusal(address: string, options: GuardOptions): RefusedAddressClass | undefined {
  return refusalOf(classifyAddress(address), options);
}

function refusalOf<Refused extends RefusedHostClass>(
  hostClass: 'public' | Refused,
  { allowInsecure }: GuardOptions,
): Refused | undefined {
  return hostClass === 'public' || (allowInsecure && INSIDE.includes(hostClass)) ? undefined : hostClass;
}

function refusedPort(port: number): string {
  return `The URL's port is ${port}, and events go to port 443 and to those above 1023.`;
}

function refuse(reason: keyof typeof URL_SENTENCES): EndpointUrlVerdict {
  return { status: 'refused', reason, sentence: URL_SENTENCES[reason] };
}
