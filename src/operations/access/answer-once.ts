import { setTimeout as sleep } from 'node:timers/promises';
import { newWorkId } from '../../domain/identifiers.ts';
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
import { assertSameFingerprint } from '../idempotent-replay.ts';

export interface KeyedAnswer {
  readonly text: string;
  readonly isReplay: boolean;
}

/** The piece of work that a key stands for. */
export interface Work {
  /** The same for whoever takes the work over, so that what it makes may have its identifiers from here. */
  readonly workId: string;
  /** Whether somebody left it, with a part or all of it done. */
  readonly isTakenOver: boolean;
}

export type AnswerOnce = (request: KeyedRequest, work: (work: Work) => Promise<string>, seal: AnswerSeal) => Promise<KeyedAnswer>;

/** How an answer that tells a secret is kept: bound to its request, so that it opens for no other one. */
export interface AnswerSeal {
  seal(request: KeyedRequest, text: string): string;
  open(request: KeyedRequest, sealed: string): string;
}

/** For one that tells none. */
export const answersAsGiven: AnswerSeal = { seal: (_request, text) => text, open: (_request, text) => text };

/** Whoever died in the middle gives the key back after so long; who is still at work renews the claim. */
const LEFT_AFTER_SECONDS = 60;
const RENEW_EVERY_MS = 15_000;
const WAIT_MAX_MS = 4_000;
const LOOK_EVERY_MS = 50;

/**
 * Does the work of a request with a key once: the same key and payload give the first answer again, word for word. Of several at once one
 * does it, and the others wait for its answer. A refusal leaves the key free. What a process that died left is taken over, with the id of the
 * same work.
 *
 * @throws ServiceError `idempotency_conflict`, `internal_service_unavailable`, and what the work throws.
 */
export async function createAnswerOnce(
  { pool }: Database,
  request: KeyedRequest,
  work: (work: Work) => Promise<string>,
  { seal, open }: AnswerSeal,
): Promise<KeyedAnswer> {
  for (const since = performance.now(); performance.now() - since < WAIT_MAX_MS; await sleep(LOOK_EVERY_MS)) {
    const ownWorkId = newWorkId();
    const workId = await claimKeyedAnswer(pool, request, { leftAfterSeconds: LEFT_AFTER_SECONDS, workId: ownWorkId });
    if (workId !== undefined) {
      const claim = { workId, isTakenOver: workId !== ownWorkId };
      const text = await claimed(pool, request, () => work(claim)).catch(async (error: unknown) => {
        // What is unknown stays claimed: the work may have been done.
        if (error instanceof ServiceError && error.code !== 'internal_service_unavailable') await freeKeyedAnswer(pool, request);
        throw error;
      });
      await keepKeyedAnswer(pool, request, seal(request, text));
      return { text, isReplay: false };
    }
    const found = await findKeyedAnswer(pool, request);
    if (!found) continue;
    assertSameFingerprint(found.fingerprint, request.fingerprint);
    if (found.answer !== null) return { text: open(request, found.answer), isReplay: true };
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
