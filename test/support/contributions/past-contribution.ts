import type { Queryable } from '../../../src/store/database.ts';

export interface PastContribution {
  readonly partnerId: string;
  readonly transactionId: string;
  readonly points: number;
  /** When it was recorded and confirmed. */
  readonly at: Date;
  /** The version of the value of a point. */
  readonly version?: string;
  /** Whether it was reviewed and failed; otherwise it was confirmed at once. */
  readonly isFailed?: boolean;
}

/** Inserts a contribution as if it had been made at that time: unsealed, and with no event. */
export async function insertPastContribution(
  db: Queryable,
  { partnerId, transactionId, points, at, version = 'default-1', isFailed = false }: PastContribution,
): Promise<void> {
  await db.query(
    `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points, status, first_status,
        contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar, association_outcome, created_at, confirmed_at)
      values ($1, $2, $2, decode(repeat('00', 32), 'hex'), $2, $2, $3, $6, $6, 'default-1', $5, 'default-1', '', '', 'not_requested', $4, $7)`,
    [partnerId, transactionId, points, at, version, ...(isFailed ? ['pending', null] : ['confirmed', at])],
  );
  if (isFailed)
    await db.query(
      "update contribution set status = 'failed', failed_at = $3, failure_reason = 'test' where partner_id = $1 and transaction_id = $2",
      [partnerId, transactionId, at],
    );
}
