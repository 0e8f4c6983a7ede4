import { NOW } from './bulk-rows.ts';
import type { Queryable } from './database.ts';
import { durableRead } from './durable-read.ts';
import { run, type Statement } from './query.ts';

/** A request with a key, of an operation whose records have none. */
export interface KeyedRequest {
  /** The partner or the operator whose key it is. The column is called `partner_id`. */
  readonly callerId: string;
  readonly idempotencyKey: string;
  readonly operation: string;
  /** SHA-256 of the canonical payload. */
  readonly fingerprint: Buffer;
}

const idOf = ({ callerId, idempotencyKey, operation }: KeyedRequest) => [callerId, idempotencyKey, operation];

const CLAIM: Statement = {
  name: 'claim_keyed_answer',
  text: `insert into keyed_answer as k (partner_id, idempotency_key, operation, fingerprint, claimed_at, work_id, claim_id)
    values ($1, $2, $3, $4, ${NOW}, $6, $6)
    on conflict on constraint keyed_answer_pkey do update
      set claimed_at = excluded.claimed_at, work_id = coalesce(k.work_id, excluded.work_id),
        claim_id = case when k.claimed_at > excluded.claimed_at then k.claim_id else excluded.claim_id end
      where k.answer is null and k.fingerprint = excluded.fingerprint
        and greatest(excluded.claimed_at - k.claimed_at, k.claimed_at - excluded.claimed_at) > $5::int4 * interval '1 second'
    returning case when claim_id = $6 then work_id end as "workId"`,
};

/**
 * Claims the work of a request for the caller: the key is free, or the claim is this many seconds old. A claim that is as many seconds ahead
 * was made while the clock was ahead: it is as old as the others from now on.
 *
 * @param claimId Names this claim; the work too, where the key is free.
 * @returns The id of the work, which stays the same when it is taken over; `undefined` when another process does it.
 */
export async function claimKeyedAnswer(
  db: Queryable,
  request: KeyedRequest,
  { leftAfterSeconds, claimId }: { readonly leftAfterSeconds: number; readonly claimId: string },
): Promise<string | undefined> {
  const values = [...idOf(request), request.fingerprint, leftAfterSeconds, claimId];
  const [claim] = await run<{ workId: string | null }>(db, CLAIM, values);
  return claim?.workId ?? undefined;
}

const RENEW: Statement = {
  name: 'renew_keyed_claim',
  text: `update keyed_answer set claimed_at = ${NOW}
    where partner_id = $1 and idempotency_key = $2 and operation = $3 and answer is null`,
};

/** Renews the claim: no other process takes the work over. */
export async function renewKeyedClaim(db: Queryable, request: KeyedRequest): Promise<void> {
  await run(db, RENEW, idOf(request));
}

const FIND = durableRead({
  name: 'find_keyed_answer',
  text: 'select fingerprint, answer from keyed_answer where partner_id = $1 and idempotency_key = $2 and operation = $3',
});

/** `answer` is `null` while the work is under way. */
export async function findKeyedAnswer(
  db: Queryable,
  request: KeyedRequest,
): Promise<{ readonly fingerprint: Buffer; readonly answer: string | null } | undefined> {
  const [found] = await run<{ fingerprint: Buffer; answer: string | null }>(db, FIND, idOf(request));
  return found;
}

const KEEP_CLAIMED: Statement = {
  name: 'keep_claimed_answer',
  text: `update keyed_answer set answer = $4
    where partner_id = $1 and idempotency_key = $2 and operation = $3 and work_id = $5 and answer is null
    returning work_id as "workId"`,
};

/**
 * Stores the answer of a piece of work that nobody has ended yet.
 *
 * @returns Whether it was stored: of two processes with the same work, the row lets one end it.
 */
export async function keepClaimedAnswer(
  db: Queryable,
  request: KeyedRequest,
  { workId, answer }: { readonly workId: string; readonly answer: string },
): Promise<boolean> {
  return (await run(db, KEEP_CLAIMED, [...idOf(request), answer, workId])).length === 1;
}

/** Stands in place of an answer whose secret was removed. */
export const REMOVED_ANSWER = 'removed';

/** A sealed answer begins so; every other one is JSON. The rows of a caller are found by the primary key. */
const REMOVE_SECRETS: Statement = {
  name: 'remove_secret_answers',
  text: `update keyed_answer set answer = '${REMOVED_ANSWER}'
    where partner_id = $1 and answer like 'v1.%'
      and greatest(now() - claimed_at, claimed_at - now()) > $2::int4 * interval '1 hour'
    returning 1`,
};

/**
 * Removes the sealed answers of a caller that were given so many hours ago. Their keys stay used. What was claimed as many hours ahead was
 * claimed while the clock was ahead.
 *
 * @returns How many were removed.
 */
export async function removeSecretAnswers(db: Queryable, callerId: string, hours: number): Promise<number> {
  return (await run(db, REMOVE_SECRETS, [callerId, hours])).length;
}

const FREE: Statement = {
  name: 'free_keyed_answer',
  text: `delete from keyed_answer
    where partner_id = $1 and idempotency_key = $2 and operation = $3 and claim_id = $4 and answer is null
    returning claim_id as "claimId"`,
};

/**
 * After a refusal: what was done under the claim, if anything, has no effect and needs no answer.
 *
 * @returns Whether the claim was the last one; otherwise another process took the work over, and the key is not freed.
 */
export async function freeKeyedAnswer(db: Queryable, request: KeyedRequest, claimId: string): Promise<boolean> {
  return (await run(db, FREE, [...idOf(request), claimId])).length === 1;
}
