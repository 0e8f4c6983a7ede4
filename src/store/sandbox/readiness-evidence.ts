import {
  type ComparedLines,
  RATE_LIMIT_WAIT_SECONDS,
  RECOVERY_HOURS,
  type ReadinessItem,
} from '../../domain/sandbox/readiness.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, runAnew, type Statement } from '../query.ts';

/** Evidence from this time on; `null` for all. */
export type Since = Date | null;

/** The second parameter of a statement as a time. */
const SINCE = "coalesce($2::timestamptz, '-infinity')";

/** The evidence that a partner is ready: the request, and its record. */
export interface ReadinessEvidence {
  readonly correlationId: string;
  readonly subjectId: string | null;
  readonly seenAt: Date;
}

const INSERT: Statement = {
  name: 'insert_sandbox_evidence',
  text: `insert into sandbox_evidence (partner_id, item, correlation_id, subject_id, seen_at) values ($1, $2, $3, $4, ${NOW})
    on conflict on constraint sandbox_evidence_pkey do update
      set correlation_id = excluded.correlation_id, subject_id = excluded.subject_id, seen_at = excluded.seen_at`,
};

/** Keeps the latest of its kind: whether there is one since a time follows from it. */
export async function insertReadinessEvidence(
  db: Queryable,
  partnerId: string,
  { item, correlationId, subjectId }: { readonly item: ReadinessItem } & Omit<ReadinessEvidence, 'seenAt'>,
): Promise<void> {
  await run(db, INSERT, [partnerId, item, correlationId, subjectId]);
}

const LIST: Statement = {
  name: 'list_sandbox_evidence',
  text: `select item, correlation_id as "correlationId", subject_id as "subjectId", seen_at as "seenAt" from sandbox_evidence
    where partner_id = $1 and seen_at >= ${SINCE}`,
};

export async function listReadinessEvidence(
  db: Queryable,
  partnerId: string,
  since: Since,
): Promise<(ReadinessEvidence & { readonly item: ReadinessItem })[]> {
  return run(db, LIST, [partnerId, since]);
}

const MARK: Statement = {
  name: 'mark_rehearsals_looked_up',
  text: `update sandbox_rehearsal r set looked_up_at = ${NOW}, looked_up_by = v.correlation_id
    from unnest($2::text[], $3::text[]) as v (subject_id, correlation_id)
    where r.partner_id = $1 and r.subject_id = any ($2::text[]) and r.subject_id = v.subject_id
      and r.looked_up_at is null and r.scenario = 'timeout_after_commit' and r.last_at > ${NOW} - interval '${RECOVERY_HOURS} hours'`,
};

/**
 * Records of a partner were looked up: those whose answer was lost within {@link RECOVERY_HOURS} are marked.
 *
 * @param lookedUp Correlation ids by record.
 */
export async function markLookedUp(db: Queryable, partnerId: string, lookedUp: ReadonlyMap<string, string>): Promise<void> {
  await runAnew(db, MARK, [partnerId, [...lookedUp.keys()], [...lookedUp.values()]]);
}

const FIND_RECOVERED: Statement = {
  name: 'find_recovered_rehearsal',
  text: `select looked_up_by as "correlationId", subject_id as "subjectId", looked_up_at as "seenAt" from sandbox_rehearsal
    where partner_id = $1 and looked_up_at is not null and first_at >= ${SINCE} order by looked_up_at limit 1`,
};

/** The first look-up of a record whose answer was lost since then. */
export async function findRecovered(db: Queryable, partnerId: string, since: Since): Promise<ReadinessEvidence | undefined> {
  return (await run<ReadinessEvidence & Record<string, unknown>>(db, FIND_RECOVERED, [partnerId, since]))[0];
}

const FIND_REPEATED: Statement = {
  name: 'find_repeated_rehearsal',
  text: `select c.correlation_id as "correlationId", c.transaction_id as "subjectId", c.created_at as "seenAt"
    from sandbox_rehearsal r join contribution c on c.partner_id = r.partner_id and c.idempotency_key = r.idempotency_key
    where r.partner_id = $1 and c.partner_id = $1 and r.operation = 'confirmContribution' and r.refusals > 0
      and r.first_at >= ${SINCE}
      and (r.scenario like 'timeout\\_before\\_commit%' or r.scenario like 'service\\_unavailable%')
    order by c.created_at limit 1`,
};

/** The first contribution whose key had been sent before without an outcome, for the first time since then. */
export async function findRepeated(db: Queryable, partnerId: string, since: Since): Promise<ReadinessEvidence | undefined> {
  return (await run<ReadinessEvidence & Record<string, unknown>>(db, FIND_REPEATED, [partnerId, since]))[0];
}

const FIND_WAITED: Statement = {
  name: 'find_waited_rehearsal',
  text: `select c.correlation_id as "correlationId", c.transaction_id as "subjectId", c.created_at as "seenAt"
    from sandbox_rehearsal r join contribution c on c.partner_id = r.partner_id and c.idempotency_key = r.idempotency_key
    where r.partner_id = $1 and c.partner_id = $1 and r.operation = 'confirmContribution' and r.scenario like 'rate\\_limited%'
      and c.created_at >= r.last_at + interval '${RATE_LIMIT_WAIT_SECONDS} seconds' and r.first_at >= ${SINCE}
    order by c.created_at limit 1`,
};

/** The first contribution that was confirmed after its key had been refused since then, when Retry-After was over. */
export async function findWaited(db: Queryable, partnerId: string, since: Since): Promise<ReadinessEvidence | undefined> {
  return (await run<ReadinessEvidence & Record<string, unknown>>(db, FIND_WAITED, [partnerId, since]))[0];
}

/** A completely compared list of the partner. */
export interface CompletedComparison {
  readonly reconciliationId: string;
  readonly settlementId: string;
  readonly endedAt: Date;
  readonly counts: ComparedLines;
}

/** A list that an operator uploaded, or that is the service's own statement, shows nothing of the partner's books. */
const LIST_COMPARED: Statement = {
  name: 'list_compared_lists',
  text: `select reconciliation_id as "reconciliationId", settlement_id as "settlementId", ended_at as "endedAt", counts
    from (select * from reconciliation where partner_id = $1 order by reconciliation_id desc limit $3) as latest
    where status = 'done' and uploaded_by is null and not is_statement and created_at >= ${SINCE}
    order by reconciliation_id desc`,
};

/** Among the latest reconciliations of a partner, the lists of its own that were compared, the latest first. */
export async function listCompletedComparisons(
  db: Queryable,
  partnerId: string,
  { since, limit }: { readonly since: Since; readonly limit: number },
): Promise<CompletedComparison[]> {
  type Row = Omit<CompletedComparison, 'counts'> & { readonly counts: string };
  const rows = await run<Row>(db, LIST_COMPARED, [partnerId, since, limit]);
  return rows.map((row) => {
    const { differing: _, total: __, ...counts } = JSON.parse(row.counts);
    return { ...row, counts };
  });
}
