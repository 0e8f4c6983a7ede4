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

/** The piece of work of an idempotency key. */
export interface Work {
  /** The same for whoever takes the work over, so that what it makes may have its identifiers from here. */
  readonly workId: string;
  /** Whether a process left it, with a part or all of it done. */
  readonly isTakenOver: boolean;
}

export type AnswerOnce = (request: KeyedRequest, work: (work: Work) => Promise<string>, seal: AnswerSeal) => Promise<KeyedAnswer>;

/** How an answer that contains a secret is stored: encrypted for its request, so that no other request opens it. */
export interface AnswerSeal {
  seal(request: KeyedRequest, text: string): string;
  open(request: KeyedRequest, sealed: string): string;
}

/** For answers without a secret. */
export const answersAsGiven: AnswerSeal = { seal: (_request, text) => text, open: (_request, text) => text };

/** A claim of a dead process ends after this time; a living process renews its claim. */
const LEFT_AFTER_SECONDS = 60;
const RENEW_EVERY_MS = 15_000;
const WAIT_MAX_MS = 4_000;
const LOOK_EVERY_MS = 50;

/**
 * Does the work of a request with a key once: the same key and payload give the first answer again, word for word. Of several requests at
 * once one does the work, and the others wait for its answer. A refusal leaves the key free. Another process takes over what a dead
 * process left, with the same work id.
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
        // After an unknown outcome the key stays claimed: the work may have been done.
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
  // A failed renewal is tried again with the next one.
  const timer = setInterval(() => renewKeyedClaim(pool, request).catch(() => undefined), RENEW_EVERY_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
