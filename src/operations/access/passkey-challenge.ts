import { ServiceError } from '../../domain/service-error.ts';
import { AHEAD_MOST_MS } from '../../store/access/operator-credential.ts';
import { readClock } from '../../store/clock.ts';
import type { Queryable } from '../../store/database.ts';
import type { Sealing } from './second-factor.ts';

/** A challenge that the browser carries, sealed: the service keeps none. */
export interface Challenge {
  readonly challenge: string;
  /** When it was made, by the database's clock: a passkey answers no challenge that is older than its last one, so that none is used twice. */
  readonly atMs: number;
}

const VALID_MS = 300_000;

export async function sealChallenge(db: Queryable, seal: Sealing['seal'], challenge: string): Promise<string> {
  const atMs = (await readClock(db)).getTime();
  return seal(JSON.stringify({ challenge, atMs } satisfies Challenge));
}

/**
 * @throws ServiceError `invalid_request` for one that was made for somebody else or for something else, after five minutes, and
 * for one that a clock dated which was ahead.
 */
export async function openChallenge(db: Queryable, open: Sealing['open'], sealed: string): Promise<Challenge> {
  const { challenge, atMs } = read(open, sealed);
  const ageMs = (await readClock(db)).getTime() - atMs;
  if (ageMs > VALID_MS) throw refusal('This took longer than five minutes. Begin again.');
  // It would open once more when that time comes.
  if (ageMs < -AHEAD_MOST_MS) throw refusal("The database's clock was ahead when this began. Begin again.");
  return { challenge, atMs };
}

function read(open: Sealing['open'], sealed: string): Challenge {
  try {
    return JSON.parse(open(sealed)) as Challenge;
  } catch (cause) {
    throw refusal('The challenge belongs to another person or another step. Begin again.', cause);
  }
}

function refusal(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_request', message, { details: [{ field: 'challenge', code: 'wrong_form', message }], cause });
}
