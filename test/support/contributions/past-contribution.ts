import type { Queryable } from '../../../src/store/database.ts';

export interface PastContribution {
  readonly partnerId: string;
  readonly transactionId: string;
  readonly points: number;
  /** When it was recorded and confirmed. */
  readonly at: Date;
  /** The version of the value of a point. */
  readonly version?: string;
}

/** Inserts a confirmed contribution as if it had been made at that time: unsealed, and with no event. */
export async function insertPastContribution(
  db: Queryable,
  { partnerId, transactionId, points, at, version = 'default-1' }: PastContribution,
): Promise<void> {
  await db.query(
    `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points, status, first_status,
        contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar, association_outcome, created_at, confirmed_at)
      values ($1, $2, $2, decode(repeat('00', 32), 'hex'), $2, $2, $3, 'confirmed', 'confirmed', 'default-1', $5, 'default-1', '', '', 'not_requested', $4, $4)`,
    [partnerId, transactionId, points, at, version],
  );
}
