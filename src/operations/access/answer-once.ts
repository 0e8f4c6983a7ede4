import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError, unavailable } from '../../domain/service-error.ts';
import {
  claimKeyedAnswer,
  findKeyedAnswer,
  freeKeyedAnswer,
  type KeyedRequest,
  keepKeyedAnswer,
  renewKeyedClaim,
} from '../../store/access/keyed-answer.ts';
import type { Database } from '../../store/database.ts';
import { tellKeyApart } from '../idempotent-replay.ts';

export interface KeyedAnswer {
  readonly text: string;
  readonly isReplay: boolean;
}

export type AnswerOnce = (request: KeyedRequest, work: () => Promise<string>, seal: AnswerSeal) => Promise<KeyedAnswer>;

/** How an answer that tells a secret is kept. */
export interface AnswerSeal {
  seal(text: string): string;
  open(sealed: string): string;
}

/** For one that tells none. */
export const answersAsGiven: AnswerSeal = { seal: (text) => text, open: (text) => text };

/** Whoever died in the middle gives the key back after so long; who is still at work renews the claim. */
const LEFT_AFTER_SECONDS = 60;
const RENEW_EVERY_MS = 15_000;
const WAIT_MAX_MS = 4_000;
const LOOK_EVERY_MS = 50;

/**
 * Does the work of a request with a key once: the same key and payload give the first answer again, word for word. Of several at once one
 * does it, and the others wait for its answer. A refusal leaves the key free.
 *
 * @throws ServiceError `idempotency_conflict`, `internal_service_unavailable`, and what the work throws.
 */
export async function answerOnceIn(
  { pool }: Database,
  request: KeyedRequest,
  work: () => Promise<string>,
  { seal, open }: AnswerSeal,
): Promise<KeyedAnswer> {
  for (const since = performance.now(); performance.now() - since < WAIT_MAX_MS; await sleep(LOOK_EVERY_MS)) {
    if (await claimKeyedAnswer(pool, request, LEFT_AFTER_SECONDS)) {
      const text = await claimed(pool, request, work).catch(async (error: unknown) => {
        // What is unknown stays claimed: the work may have been done.
        if (error instanceof ServiceError && error.code !== 'internal_service_unavailable') await freeKeyedAnswer(pool, request);
        throw error;
      });
      await keepKeyedAnswer(pool, request, seal(text));
      return { text, isReplay: false };
    }
    const found = await findKeyedAnswer(pool, request);
    if (!found) continue;
    tellKeyApart(found.fingerprint, request.fingerprint);
    if (found.answer !== null) return { text: open(found.answer), isReplay: true };
  }
  throw unavailable('The same request is still under way; its outcome is not known yet.');
}

async function claimed(pool: Database['pool'], request: KeyedRequest, work: () => Promise<string>): Promise<string> {
  // A renewal that fails is tried again with the next one.
  const timer = setInterval(() => renewKeyedClaim(pool, request).catch(() => undefined), RENEW_EVERY_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
