import type pg from 'pg';
import type { Database } from '../../../src/store/database.ts';

/** So long a request waits for a concurrent duplicate. */
export const BLOCKED_MS_MAX = 4_000;

export interface HeldFields {
  readonly partner_event_id: string;
  readonly partner_order_ref: string;
  /** The idempotency key; without one the id of the event. */
  readonly key?: string;
}

/** Inserts the event, as another process would, and leaves the transaction open. */
export async function holdContribution(
  { pool }: Pick<Database, 'pool'>,
  partnerId: string,
  { partner_event_id, partner_order_ref, key = partner_event_id }: HeldFields,
): Promise<pg.PoolClient> {
  const session = await pool.connect();
  await session.query("begin; set local idle_in_transaction_session_timeout = '60s'");
  await session.query(
    `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points, status,
       first_status, contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar, association_outcome,
       created_at, confirmed_at)
     values ($1, $2, $4, sha256('same'), $2, $3, 250, 'confirmed', 'confirmed', 'r', 'p', 't', 'en', 'ar', 'not_requested', now(), now())`,
    [partnerId, partner_event_id, partner_order_ref, key],
  );
  return session;
}

export async function endHolding(session: pg.PoolClient, word: 'commit' | 'rollback'): Promise<void> {
  await session.query(word);
  session.release();
}
