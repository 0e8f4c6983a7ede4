import { setTimeout as sleep } from 'node:timers/promises';
import { newWorkId } from '../domain/identifiers.ts';
import { ServiceError, unavailable } from '../domain/service-error.ts';
import type { Database, Queryable } from '../store/database.ts';
import { isFromServer, isPoolUsedUp } from '../store/database-errors.ts';
import {
  claimKeyedAnswer,
  findKeyedAnswer,
  freeKeyedAnswer,
  type KeyedRequest,
  keepClaimedAnswer,
  renewKeyedClaim,
} from '../store/keyed-answer.ts';
import { CommitUnknownError } from '../store/transaction.ts';
import { assertSameFingerprint } from './same-fingerprint.ts';

export interface KeyedAnswer {
  readonly text: string;
  readonly isReplay: boolean;
}

/** The piece of work of an idempotency key. */
export interface Work {
  /** Stays the same when another process takes the work over, so that ids made from it are the same too. */
  readonly workId: string;
  /** Whether a process left it, with a part or all of it done. */
  readonly isTakenOver: boolean;
  /**
   * Makes a change and stores its answer in the transaction of the change: whenever the process dies, there are both or neither. Whatever
   * tells a secret, and whatever has no identifier from {@link workId}, is made in this way. Beside it the work stores nothing: where the
   * change fails before its COMMIT, the key is free.
   *
   * @param change One operation with one transaction, whose result it returns; it gets the database that it must use.
   * @param present The answer; it sees the change through `db`.
   */
  answer<Result>(
    database: Database,
    change: (database: Database) => Promise<Result>,
    present: (result: Result, db: Queryable) => object | Promise<object>,
  ): Promise<object>;
}

export type AnswerOnce = (request: KeyedRequest, work: (work: Work) => Promise<object>, form: AnswerForm) => Promise<KeyedAnswer>;

/** How an answer that contains a secret is stored: encrypted for its request, so that no other request opens it. */
export interface AnswerSeal {
  seal(request: KeyedRequest, text: string): string;
  open(request: KeyedRequest, sealed: string): string;
}

/** How an answer is written and stored. */
export interface AnswerForm extends AnswerSeal {
  write(answer: object): string;
}

/** For answers without a secret. */
export const answersAsGiven: AnswerSeal = { seal: (_request, text) => text, open: (_request, text) => text };

/** A claim of a dead process ends after this time; a living process renews its claim. */
const LEFT_AFTER_SECONDS = 60;
const RENEW_EVERY_MS = 15_000;
const WAIT_MAX_MS = 4_000;
/** The first look for the answer of another; each pause after it is twice as long, as many requests with one key may wait for a slow one. */
const FIRST_LOOK_MS = 50;

/**
 * Does the work of a request with a key once: the same key and payload give the first answer again, word for word. Of several requests at
 * once one does the work, and the others wait for its answer. A refusal leaves the key free, and so does a change of `work.answer` that
 * failed before its COMMIT. Another process takes over what a dead process left, with the same work id.
 *
 * @throws ServiceError `idempotency_conflict`, `internal_service_unavailable`, and what the work throws.
 */
export async function answerOnce(
  { pool }: Database,
  request: KeyedRequest,
  work: (work: Work) => Promise<object>,
  form: AnswerForm,
): Promise<KeyedAnswer> {
  const since = performance.now();
  for (let pauseMs = FIRST_LOOK_MS, isFree = true; ; pauseMs *= 2) {
    const claimId = newWorkId();
    const options = { leftAfterSeconds: LEFT_AFTER_SECONDS, claimId };
    const workId = isFree ? await claimKeyedAnswer(pool, request, options) : undefined;
    if (workId !== undefined) return doOnce(pool, request, { claimId, workId, isTakenOver: workId !== claimId }, { work, form });
    const found = await findKeyedAnswer(pool, request);
    isFree = found === undefined;
    if (found) assertSameFingerprint(found.fingerprint, request.fingerprint);
    if (found && found.answer !== null) return { text: form.open(request, found.answer), isReplay: true };
    const leftMs = since + WAIT_MAX_MS - performance.now();
    if (leftMs < FIRST_LOOK_MS) break;
    await sleep(Math.min(pauseMs, leftMs));
  }
  throw unavailable('The same request is still under way; its outcome is not known yet.');
}

/** The row of the key, while this process has it. */
interface Claim extends Pick<Work, 'workId' | 'isTakenOver'> {
  readonly claimId: string;
}

interface Task {
  readonly work: (work: Work) => Promise<object>;
  readonly form: AnswerForm;
}

async function doOnce(pool: Database['pool'], request: KeyedRequest, claim: Claim, task: Task): Promise<KeyedAnswer> {
  const { form } = task;
  const { work, textOfChange, isWithoutCommit } = watchedWork(request, claim, form);
  let answer: object;
  try {
    answer = await whileRenewing(pool, request, () => task.work(work));
  } catch (error) {
    return afterFailure(pool, request, claim, { error, form, isWithoutCommit: isWithoutCommit() });
  }
  const ofChange = textOfChange();
  if (ofChange !== undefined) return { text: ofChange, isReplay: false };
  const text = form.write(answer);
  if (await keepClaimedAnswer(pool, request, { workId: claim.workId, answer: form.seal(request, text) }))
    return { text, isReplay: false };
  // Another process took the work over, as if this one were dead, and has ended it: its answer was given first.
  const first = (await findOfOther(pool, request))?.answer;
  return first ? { text: form.open(request, first), isReplay: true } : { text, isReplay: false };
}

interface Failure extends Pick<Task, 'form'> {
  readonly error: unknown;
  /** No transaction of the work has sent its COMMIT. */
  readonly isWithoutCommit: boolean;
}

/**
 * A refusal frees the key, and so does a change that failed before its COMMIT. Where another process took the work over, as if this one
 * were dead, its outcome counts: its answer, if it has ended the work.
 *
 * @throws What the work threw; ServiceError `internal_service_unavailable` while the other process does the work.
 */
async function afterFailure(
  pool: Database['pool'],
  request: KeyedRequest,
  { claimId }: Claim,
  { error, form, isWithoutCommit }: Failure,
): Promise<KeyedAnswer> {
  // After an unknown outcome the key stays claimed: the work may have been done.
  const isRefusal = error instanceof ServiceError && error.code !== 'internal_service_unavailable';
  const isUndone = isWithoutCommit && isTold(error);
  // What failed is told, also where the database that failed does not free the key either: then it stays claimed.
  if (!(isRefusal || isUndone) || (await freeKeyedAnswer(pool, request, claimId).catch(() => true))) throw error;
  const ofOther = await findOfOther(pool, request);
  if (!ofOther) throw error;
  if (ofOther.answer === null) throw takenOver();
  return { text: form.open(request, ofOther.answer), isReplay: true };
}

/** The service or the server said what failed, or no connection was got. Without an answer to a BEGIN or a COMMIT, statements may have been stored. */
function isTold(error: unknown): boolean {
  if (error instanceof ServiceError) return !(error.cause instanceof CommitUnknownError);
  return isFromServer(error) || isPoolUsedUp(error);
}

/** What another process has under the key: `undefined` when the key is free, or was used for another payload since. */
async function findOfOther(pool: Database['pool'], request: KeyedRequest): ReturnType<typeof findKeyedAnswer> {
  const found = await findKeyedAnswer(pool, request);
  return found?.fingerprint.equals(request.fingerprint) ? found : undefined;
}

function takenOver(): ServiceError {
  return unavailable('Another process has taken this request over; its outcome is not known yet.');
}

interface WatchedWork {
  readonly work: Work;
  /** The answer that a committed change stored; `undefined` without one. */
  readonly textOfChange: () => string | undefined;
  /** The work is a change that stores its answer, and no transaction of it has come to its COMMIT. */
  readonly isWithoutCommit: () => boolean;
}

function watchedWork(request: KeyedRequest, { workId, isTakenOver }: Claim, form: AnswerForm): WatchedWork {
  let text: string | undefined;
  let changes = 0;
  let hasKept = false;
  const answer: Work['answer'] = async (database, change, present) => {
    changes++;
    let stored: { readonly result: unknown; readonly answer: object; readonly text: string } | undefined;
    const beforeCommit = async (db: Queryable, result: unknown) => {
      if (stored) throw new Error('A change that stores its answer has one transaction.');
      const made = await present(result as Awaited<ReturnType<typeof change>>, db);
      stored = { result, answer: made, text: form.write(made) };
      const kept = { workId, answer: form.seal(request, stored.text) };
      if (!(await keepClaimedAnswer(db, request, kept))) throw takenOver();
      // The COMMIT follows.
      hasKept = true;
    };
    const result = await change({ ...database, beforeCommit });
    if (!stored || stored.result !== result)
      throw new Error('A change that stores its answer returns the result of its transaction.');
    ({ text } = stored);
    return stored.answer;
  };
  const isWithoutCommit = () => changes === 1 && !hasKept;
  return { work: { workId, isTakenOver, answer }, textOfChange: () => text, isWithoutCommit };
}

/** Renews the claim until the work has ended. */
async function whileRenewing<Result>(
  pool: Database['pool'],
  request: KeyedRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  // A failed renewal is tried again with the next one.
  const timer = setInterval(() => renewKeyedClaim(pool, request).catch(() => undefined), RENEW_EVERY_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
