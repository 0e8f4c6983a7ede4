import { LRUCache } from 'lru-cache';
import { openAgeClock } from '../../concurrency/age-clock.ts';
import { type Environment, environmentOfKey, type ParsedApiKey, parseApiKey } from '../../domain/access/api-key.ts';
import { isSameSecret } from '../../domain/access/checksummed-secret.ts';
import { isAllowedAddress } from '../../domain/access/client-address.ts';
import { ServiceError, unavailable } from '../../domain/service-error.ts';
import type { Credential } from '../../store/access/api-key.ts';
import type { Database } from '../../store/database.ts';
import type { FailureLimit } from '../limits/failure-limit.ts';
import type { Caller } from '../request-context.ts';
import { CREDENTIAL_TTL_MS, CREDENTIALS_MAX, credentialMemory, type RememberedCredential } from './credential-memory.ts';

const REFUSAL =
  'The API key is missing, malformed, unknown, revoked or expired. Send a valid key in the header X-API-Key; the service does not read Authorization.';

/** The message does not say what differs. */
const UNVERIFIED =
  'The service cannot verify the API key at the moment. Send the same request again; if this lasts, tell the operator the correlation_id.';

export interface AuthenticationAttempt {
  /** The header as it arrived. */
  readonly apiKey: string | undefined;
  readonly address: string;
  /** Called before the refusal of a key whose secret is right, and that is revoked or has expired. */
  readonly onEnded?: (credential: Credential) => void;
}

export interface Authenticate {
  (attempt: AuthenticationAttempt): Promise<Credential>;
  /** Whose key was valid a moment ago; costs no look-up and decides nothing. */
  knownCaller(apiKey: string): Caller | undefined;
  /** Whether so many keys from this address were wrong that the next wrong one is refused with `rate_limited`. */
  isSuspect(address: string): boolean;
}

export interface AuthenticatorOptions {
  /** Connections for credentials only: {@link credentialMemory} says how many it uses. */
  readonly database: Database;
  readonly environment: Environment;
  readonly failures: FailureLimit;
  readonly onUse: (keyId: string) => void;
  /** Called for a key or a partner that differs from the audit. */
  readonly onUnverified: (error: Error) => void;
  /** The clock for the age of a credential. */
  readonly clock?: { now(): number };
}

/**
 * Authenticates a request. Throws `unauthorized` for any problem of the key, `internal_service_unavailable` for a key that differs from
 * the audit, `forbidden` for an address that the key does not allow, and `rate_limited` when too many keys from this address were wrong;
 * a valid key is never refused for that.
 *
 * @see docs/spec/interface.md#authentication; docs/spec/decisions.md#1-http, docs/spec/decisions.md#5-api-keys and
 * docs/spec/decisions.md#6-rate-limits.
 */
export function authenticator({
  database,
  environment,
  failures,
  onUse,
  onUnverified,
  clock = openAgeClock(),
}: AuthenticatorOptions): Authenticate {
  const memory = credentialMemory({ database, failures, onUnverified, clock });
  const find = async (keyId: string, address: string): Promise<RememberedCredential | undefined> =>
    memory.recall(keyId) ?? (await memory.look(keyId, address));
  // Keys that were valid a moment ago, so that a busy partner's key is not hashed for every request. The secret of a hit is still
  // compared.
  const parsedKeys = new LRUCache<string, ParsedApiKey>({ max: CREDENTIALS_MAX, ttl: CREDENTIAL_TTL_MS, perf: clock });
  const parse = (apiKey: string) => parsedKeys.get(apiKey) ?? parseApiKey(apiKey);
  const authenticate = async ({ apiKey, address, onEnded }: AuthenticationAttempt): Promise<Credential> => {
    const parsed = apiKey === undefined ? undefined : parse(apiKey);
    const known = parsed?.environment === environment ? await find(parsed.keyId, address) : undefined;
    const credential = known?.credential;
    const isRight = isSameSecret(parsed, credential);
    if (!credential || !isRight || !isCurrent(credential, clock.now() - known.readAtMs)) {
      if (credential && isRight) onEnded?.(credential);
      failures.count(address);
      throw unauthorized(apiKey, environment);
    }
    refuseUnusable(credential, address);
    if (apiKey !== undefined && parsed && !parsedKeys.has(apiKey)) parsedKeys.set(apiKey, parsed);
    onUse(credential.keyId);
    return credential;
  };
  const knownCaller = (apiKey: string): Caller | undefined => {
    const parsed = parsedKeys.get(apiKey);
    return parsed && memory.lastCredential(parsed.keyId);
  };
  return Object.assign(authenticate, { knownCaller, isSuspect: failures.isReached });
}

function refuseUnusable({ unverified, allowedAddresses }: Credential, address: string): void {
  // The key is not verified, and is valid again after an operator has restored its row.
  if (unverified === 'key') throw unavailable(UNVERIFIED);
  if (isAllowedAddress(address, allowedAddresses)) return;
  throw new ServiceError('forbidden', 'This API key may not be used from this address. Ask the operator to allow the address.');
}

function isCurrent({ isValid, expiresInMs }: Credential, ageMs: number): boolean {
  return isValid && (expiresInMs === null || ageMs < expiresInMs);
}

function unauthorized(apiKey: string | undefined, environment: Environment): ServiceError {
  const shown = apiKey === undefined ? undefined : environmentOfKey(apiKey);
  const isOther = shown !== undefined && shown !== environment;
  const message = isOther
    ? `This is a key of the ${shown} environment, but this is the ${environment} environment. Use a ${environment} key.`
    : REFUSAL;
  return new ServiceError('unauthorized', message, { headers: { 'www-authenticate': 'ApiKey realm="partner-impact"' } });
}
