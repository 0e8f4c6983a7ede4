import type { RehearsedOperation } from '../../domain/sandbox/scenarios.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

/** The key of a rehearsed scenario. */
export interface Rehearsal {
  readonly partnerId: string;
  readonly idempotencyKey: string;
  readonly operation: RehearsedOperation;
  readonly scenario: string;
  readonly correlationId: string;
}

const keyOf = ({ partnerId, idempotencyKey, operation, scenario, correlationId }: Rehearsal) => [
  partnerId,
  idempotencyKey,
  operation,
  scenario,
  correlationId,
];

/** A refusal that is dated later than this from now is of a clock that was ahead: it would refuse its key until that time comes again. */
const AHEAD_MOST = "interval '10 minutes'";

const COUNT_REFUSAL: Statement = {
  name: 'count_sandbox_refusal',
  text: `insert into sandbox_rehearsal as r
      (partner_id, idempotency_key, operation, scenario, correlation_id, refusals, first_at, last_at)
    values ($1, $2, $3, $4, $5, 1, ${NOW}, ${NOW})
    on conflict on constraint sandbox_rehearsal_pkey do update
      set refusals = r.refusals + 1, last_at = case when r.refusals < $6::int8 then excluded.last_at else r.last_at end
      where r.refusals < $6::int8 or ($7::int8 > 0
        and excluded.last_at - r.last_at < $7::int8 * interval '1 second' and r.last_at - excluded.last_at < ${AHEAD_MOST})
    returning refusals`,
};

export interface RefusalOptions {
  readonly times: number;
  /** A request that returns before this time is refused again, and does not count. */
  readonly waitSeconds: number;
}

/**
 * Counts a refusal of the key. Of concurrent requests, in any processes, exactly `times` are refused.
 *
 * @returns Whether this one is.
 */
export async function countRefusal(
  db: Queryable,
  rehearsal: Rehearsal,
  { times, waitSeconds }: RefusalOptions,
): Promise<boolean> {
  return (await run(db, COUNT_REFUSAL, [...keyOf(rehearsal), times, waitSeconds])).length > 0;
}

const INSERT: Statement = {
  name: 'insert_sandbox_rehearsal',
  text: `insert into sandbox_rehearsal (partner_id, idempotency_key, operation, scenario, correlation_id, first_at, last_at, subject_id)
    values ($1, $2, $3, $4, $5, ${NOW}, ${NOW}, $6)
    on conflict on constraint sandbox_rehearsal_pkey do update set subject_id = excluded.subject_id`,
};

/** Marks the record that the key made. */
export async function insertRehearsal(db: Queryable, rehearsal: Rehearsal, subjectId: string): Promise<void> {
  await run(db, INSERT, [...keyOf(rehearsal), subjectId]);
}
