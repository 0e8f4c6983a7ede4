import { LRUCache } from 'lru-cache';
import { addressGroup } from '../../domain/access/client-address.ts';
import { ServiceError } from '../../domain/service-error.ts';

/** The most wrong keys of one address in a minute: more than a mistyped key causes, and slow for guessing. */
const FAILURES_MAX = 200;
const WINDOW_MS = 60_000;
/** The most addresses. For further ones the count of the address that failed longest ago starts again. */
const ADDRESSES_MAX = 10_000;

export interface FailureLimit {
  /** Counts one wrong key. Throws `rate_limited` after too many from the address. */
  count(address: string): void;
  /** Counts a key that is looked up until {@link end}; then it counts as wrong, or not at all. */
  begin(address: string): void;
  end(address: string): void;
  /** Whether the next wrong key from this address would be refused with `rate_limited`. */
  isReached(address: string): boolean;
}

interface Window {
  count: number;
  readonly endsAtMs: number;
}

/** @see docs/spec/decisions.md#6-rate-limits: the limit refuses only requests whose key is not valid. */
export function failureLimit(clock: { now(): number } = performance): FailureLimit {
  const windows = new LRUCache<string, Window>({ max: ADDRESSES_MAX });
  const windowOf = (address: string): Window => {
    const group = addressGroup(address);
    const known = windows.get(group);
    if (known && known.endsAtMs > clock.now()) return known;
    const begun = { count: 0, endsAtMs: clock.now() + WINDOW_MS };
    windows.set(group, begun);
    return begun;
  };
  return {
    count(address) {
      const window = windowOf(address);
      window.count++;
      if (window.count > FAILURES_MAX) throw tooMany(window.endsAtMs - clock.now());
    },
    begin: (address) => void windowOf(address).count++,
    end(address) {
      const window = windowOf(address);
      // Its own window may have ended.
      window.count = Math.max(0, window.count - 1);
    },
    isReached(address) {
      const window = windows.get(addressGroup(address));
      return window !== undefined && window.count >= FAILURES_MAX && window.endsAtMs > clock.now();
    },
  };
}

function tooMany(waitMs: number): ServiceError {
  const headers = { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) };
  return new ServiceError('rate_limited', 'Too many requests with a wrong API key came from this address. Check the key.', {
    headers,
    limit: 'wrong_keys',
  });
}
