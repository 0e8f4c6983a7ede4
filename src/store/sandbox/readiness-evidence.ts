import { type ComparedLines, RECOVERY_HOURS, type ReadinessItem } from '../../domain/sandbox/readiness.ts';
import type { ScenarioName } from '../../domain/sandbox/scenarios.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { rowOfName, run, runAnew, type Statement } from '../query.ts';

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
    where partner_id = $1 and looked_up_at is not null and first_at >= ${SINCE} order by first_at limit 1`,
};

/** The look-up of the first record whose answer was lost since then and that was looked up. */
export async function findRecovered(db: Queryable, partnerId: string, since: Since): Promise<ReadinessEvidence | undefined> {
  return (await run<ReadinessEvidence & Record<string, unknown>>(db, FIND_RECOVERED, [partnerId, since]))[0];
}

/** The scenarios whose refusal a partner answers with the same request. */
export type RetriedScenario = Extract<ScenarioName, 'rate_limited' | 'service_unavailable' | 'timeout_before_commit'>;

const RETRIED = rowOfName('contribution', { partnerId: '$1', key: 'idempotency_key', value: 'r.idempotency_key' });

/** The index has a scenario without its parameter. Only what was refused is read: what it made is found by its key. */
const FIND_RETRIED: Statement = {
  name: 'find_retried_rehearsal',
  text: `select c.correlation_id as "correlationId", c.transaction_id as "subjectId", c.created_at as "seenAt"
    from (
      select idempotency_key, first_at, last_at from sandbox_rehearsal
      where partner_id = $1 and operation = 'confirmContribution' and refusals > 0 and substring(scenario, '^[a-z_]+') = $3
        and first_at >= ${SINCE}
      order by first_at desc limit $5
    ) r cross join lateral ${RETRIED} c
    where c.created_at >= coalesce(r.last_at + $4::int4 * interval '1 second', r.first_at)
    order by c.created_at limit 1`,
};

export interface RetriedOptions {
  readonly scenario: RetriedScenario;
  readonly since: Since;
  /** How long after the last refusal it was confirmed at the earliest; `null` for any time after the first. */
  readonly waitedSeconds: number | null;
  /** The latest keys that are read. */
  readonly limit: number;
}

/** Of the latest keys that the scenario refused for the first time since then, the first contribution that was confirmed under one of them. */
export async function findRetried(
  db: Queryable,
  partnerId: string,
  { scenario, since, waitedSeconds, limit }: RetriedOptions,
): Promise<ReadinessEvidence | undefined> {
  const values = [partnerId, since, scenario, waitedSeconds, limit];
  return (await run<ReadinessEvidence & Record<string, unknown>>(db, FIND_RETRIED, values))[0];
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
