import type { LookupAddress } from 'node:dns';
import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import { DEFAULT_CIPHERS, type TLSSocket } from 'node:tls';
import type { Agent } from 'undici';
import { inWords, type RefusedHostClass } from '../../domain/address-class.ts';
import { allowsPlainHttp, findAddressRefusal, findHostRefusal, type GuardOptions } from './address-guard.ts';
import { ANSWER_MAX_BYTES, limitAnswers } from './limit-answers.ts';
import { limitNegotiations } from './limit-negotiations.ts';
import { passContinue } from './pass-continue.ts';
import { RefusedCertificates } from './refused-certificates.ts';
import { namesOfThisMachine, publicNames, type ResolveName } from './resolve-name.ts';

export interface GuardedAgentOptions extends GuardOptions {
  /** The time for name resolution, connection and TLS together. */
  readonly connectTimeoutMs?: number;
  /** The name servers of this machine, except in tests. */
  readonly resolveName?: ResolveName;
  /** Certificate authorities to trust instead of the usual ones. */
  readonly certificateAuthorities?: string | Buffer;
  /** The options of requests that do not concern their destination. */
  readonly agentOptions?: Omit<Agent.Options, 'connect' | 'connectTimeout' | 'factory' | 'allowH2' | 'interceptors'>;
}

/** Why a destination is refused. */
export type Refusal = RefusedHostClass | 'plain_http' | 'many_addresses';

/** Nothing was sent, because the destination is refused. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly refusal: Refusal;
  /** The address of the name. For operators only: the message is for the partner, who must not learn internal addresses. */
  readonly address: string | undefined;

  constructor(hostname: string, refusal: Refusal, address?: string) {
    super(sentenceOf(hostname, refusal, address));
    this.refusal = refusal;
    this.address = address;
  }
}

const CONNECT_TIMEOUT_MS = 5_000;

/** Of a name: a name server may answer thousands, and each is checked. Receivers have a few. */
const ADDRESSES_MAX = 64;

/**
 * Receivers close idle connections, most after two seconds or more and some without notice: a request on such a connection is lost, and
 * counts as a failed attempt.
 */
const IDLE_MAX_MS = 1_000;

/**
 * Without the key exchange of TLS 1.2 whose group the receiver chooses, of up to 10,000 bits: one handshake would keep the process busy for
 * tenths of a second.
 */
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`;

/** Node's own 250 ms would give up a working but distant address for one that may not answer at all. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/**
 * An agent that connects only to public addresses. An address as host is checked itself, a name by all of its addresses; one refused
 * address refuses the whole name, and so do more addresses than {@link ADDRESSES_MAX}. A name is resolved once per connection, and the connection goes to one of the checked addresses, so
 * that a name service that changes its answer gains nothing. Server name and certificate are the name's, and each connection checks the
 * certificate anew. It uses no proxy, follows no redirect, and aborts an endless answer or negotiation. It speaks HTTP/1.1 only: each request under way
 * has a connection of its own. A refused request fails with {@link AddressRefusedError}.
 *
 * @see docs/spec/decisions.md#7-events, "Endpoints".
 */
export function openGuardedAgent(options: GuardedAgentOptions): Agent {
  const { allowInsecure, certificateAuthorities, agentOptions } = options;
  const undici = loadUndici();
  const connect = undici.buildConnector({
    timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    allowH2: false,
    // Node judges no certificate on a connection that resumes a session.
    maxCachedSessions: 0,
    ciphers: CIPHERS,
    lookup: guardedLookup(options.resolveName ?? (allowInsecure ? namesOfThisMachine : publicNames()), options),
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    ...(certificateAuthorities !== undefined && { ca: certificateAuthorities }),
  });
  const refused = new RefusedCertificates();
  return new undici.Agent({
    keepAliveTimeout: IDLE_MAX_MS,
    keepAliveMaxTimeout: IDLE_MAX_MS,
    // In place of the 16 KiB of undici: what is in the head is limited with the rest of the answer.
    maxHeaderSize: ANSWER_MAX_BYTES,
    ...agentOptions,
    // Where a receiver might speak HTTP/2, one connection at a time would be begun until one has succeeded.
    allowH2: false,
    connect(target, callback) {
      const receiver = `${target.hostname}:${target.port}`;
      const refusal = refusalOf(target, options) ?? refused.find(receiver);
      if (refusal !== undefined) return queueMicrotask(() => callback(refusal, null));
      // Its types say nothing of the socket that it returns.
      const socket = connect(target, (...[error, connected]) => {
        if (error !== null) return callback(error, null);
        limitAnswers(connected);
        limitNegotiations(connected);
        passContinue(connected);
        callback(null, connected);
      }) as unknown as TLSSocket;
      if (target.protocol === 'https:') refused.watch(receiver, socket);
    },
  });
}

/** Why no connection to this destination may be begun. Node resolves no name when the host is an address. */
function refusalOf(target: { readonly protocol: string; readonly hostname: string }, options: GuardOptions): Error | undefined {
  const { protocol, hostname } = target;
  const isAllowed = protocol === 'https:' || allowsPlainHttp(hostname, options);
  const refusal = isAllowed ? findHostRefusal(hostname, options) : 'plain_http';
  return refusal && new AddressRefusedError(hostname, refusal);
}

/** Two parts of the package, by the first agent: the whole of it has five times the modules, and most commands open no agent. */
function loadUndici(): Pick<typeof import('undici'), 'Agent' | 'buildConnector'> {
  const require = createRequire(import.meta.url);
  return { Agent: require('undici/lib/dispatcher/agent.js'), buildConnector: require('undici/lib/core/connect.js') };
}

/** A lookup for sockets that returns only allowed addresses. */
function guardedLookup(resolve: ResolveName, options: GuardOptions): LookupFunction {
  return (hostname, { all }, callback) => {
    resolveJudged(hostname, resolve, options).then(
      (addresses) => {
        if (all) callback(null, [...addresses]);
        else callback(null, addresses[0].address, addresses[0].family);
      },
      (error) => callback(error, ''),
    );
  };
}

/** @throws AddressRefusedError When any of the addresses is refused, or there are too many. */
async function resolveJudged(hostname: string, resolve: ResolveName, options: GuardOptions): Promise<LookedUp> {
  const addresses = await resolve(hostname);
  if (addresses.length > ADDRESSES_MAX) throw new AddressRefusedError(hostname, 'many_addresses');
  for (const { address } of addresses) {
    const refusal = findAddressRefusal(address, options);
    if (refusal) throw new AddressRefusedError(hostname, refusal, address);
  }
  const [first, ...others] = addresses;
  if (first === undefined) throw Object.assign(new Error(`${hostname} has no address.`), { code: 'ENOTFOUND' });
  return [first, ...others];
}

type LookedUp = readonly [LookupAddress, ...LookupAddress[]];

function sentenceOf(hostname: string, refusal: Refusal, address: string | undefined): string {
  if (refusal === 'plain_http') return `${hostname} was to be reached by plain http.`;
  if (refusal === 'many_addresses') return `${hostname} resolves to more than ${ADDRESSES_MAX} addresses.`;
  return `${hostname} ${address === undefined ? 'is' : 'resolves to'} ${inWords(refusal)}.`;
}
