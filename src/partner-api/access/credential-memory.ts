import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { byPartner, createBatcher } from '../../concurrency/batch-queue.ts';
import { addressGroup } from '../../domain/access/client-address.ts';
import { verifyCredentials } from '../../operations/access/verify-credentials.ts';
import type { Credential } from '../../store/access/api-key.ts';
import type { Database } from '../../store/database.ts';
import { DEADLINE_MS, within } from '../http/deadline.ts';
import type { FailureLimit } from '../limits/failure-limit.ts';

/**
 * Revocation, suspension, permissions and address lists take effect on every instance within ten seconds; this is the greatest age of a
 * credential that decides about a request.
 */
export const CREDENTIAL_TTL_MS = 4_000;
export const CREDENTIALS_MAX = 10_000;
/** Unknown key ids. They are remembered separately, so that they displace no credential. */
const UNKNOWN_MAX = 1_000;

/** One for known keys, one for unknown ones: confirmations wait for neither. */
export const CREDENTIALS_POOL_SIZE = 2;
/** A connection has one request under way, so more wait only with more connections than this. */
const LIMITS = { concurrency: 1, batchMax: 256, waitingMax: 16_384, waitMaxMs: 5_000 };
/** Keys from an address with too many wrong keys are looked up together, at this interval. */
const SUSPECT_TURN_MS = 100;

export interface RememberedCredential {
  readonly credential: Credential;
  readonly readAtMs: number;
}

export interface CredentialMemory {
  /** Read at most {@link CREDENTIAL_TTL_MS} ago. */
  recall(keyId: string): RememberedCredential | undefined;
  /** Reads the current credential, within the time of a request; `undefined` for an unknown key id. */
  look(keyId: string, address: string): Promise<RememberedCredential | undefined>;
  /** The one that was read last, whatever its age. */
  lastCredential(keyId: string): Credential | undefined;
}

export interface CredentialMemoryOptions {
  readonly database: Database;
  readonly failures: FailureLimit;
  /** Called for a key or a partner that differs from the audit. */
  readonly onUnverified: (error: Error) => void;
  readonly clock: { now(): number };
}

/**
 * Remembers credentials, and looks up the others: many in one query, one query at a time, in turns of the addresses that they came from.
 * A known key is looked up separately from unknown ones.
 */
export function credentialMemory({ database, failures, onUnverified, clock }: CredentialMemoryOptions): CredentialMemory {
  const known = new LRUCache<string, RememberedCredential>({ max: CREDENTIALS_MAX });
  const unknown = new LRUCache<string, true>({ max: UNKNOWN_MAX, ttl: CREDENTIAL_TTL_MS, perf: clock, ttlResolution: 0 });
  const underWay = new Map<string, Promise<RememberedCredential | undefined>>();

  const find = async (wanted: readonly { readonly keyId: string }[]): Promise<(RememberedCredential | undefined)[]> => {
    const readAtMs = clock.now();
    const found = await verifyCredentials(
      { ...database, onUnverified },
      wanted.map(({ keyId }) => keyId),
    );
    const byId = new Map(found.map((credential) => [credential.keyId, { credential, readAtMs }]));
    return wanted.map(({ keyId }) => byId.get(keyId));
  };
  const findKnown = createBatcher<{ keyId: string; partnerId: string }, RememberedCredential | undefined>({
    ...LIMITS,
    shareOf: byPartner,
    run: find,
  });
  const findUnknown = createBatcher<{ keyId: string; address: string }, RememberedCredential | undefined>({
    ...LIMITS,
    shareOf: ({ address }) => addressGroup(address),
    run: find,
  });
  const awaitSuspectTurn = sharedPause(SUSPECT_TURN_MS);

  const lookForFirstTime = async (keyId: string, address: string): Promise<RememberedCredential | undefined> => {
    const isSuspect = failures.isReached(address);
    failures.begin(address);
    try {
      if (isSuspect) await awaitSuspectTurn();
      return await findUnknown({ keyId, address });
    } finally {
      failures.end(address);
    }
  };
  const look = async (keyId: string, address: string): Promise<RememberedCredential | undefined> => {
    const last = known.get(keyId);
    const found = last
      ? await findKnown({ keyId, partnerId: last.credential.partnerId })
      : await lookForFirstTime(keyId, address);
    if (found) known.set(keyId, found);
    else unknown.set(keyId, true);
    return found;
  };
  return {
    recall(keyId) {
      const last = known.get(keyId);
      return last && clock.now() - last.readAtMs < CREDENTIAL_TTL_MS ? last : undefined;
    },
    look(keyId, address) {
      if (unknown.has(keyId)) return Promise.resolve(undefined);
      const begun = underWay.get(keyId) ?? look(keyId, address).finally(() => underWay.delete(keyId));
      underWay.set(keyId, begun);
      return within(DEADLINE_MS, begun);
    },
    lastCredential: (keyId) => known.get(keyId)?.credential,
  };
}

/** A caller during a pause waits for its end. */
function sharedPause(ms: number): () => Promise<void> {
  let pause: Promise<void> | undefined;
  return () => {
    pause ??= sleep(ms).finally(() => {
      pause = undefined;
    });
    return pause;
  };
}
