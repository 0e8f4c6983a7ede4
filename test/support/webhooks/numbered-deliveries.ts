/** Many deliveries of a partner, and what a list reads of them. */
import type { Database } from '../../../src/store/database.ts';

interface Numbered {
  readonly from: number;
  readonly to: number;
  readonly status: 'waiting' | 'delivered' | 'exhausted';
}

/** Deliveries of numbered events, without the events. */
export async function insertDeliveries(
  { pool }: Database,
  partnerId: string,
  endpointId: string,
  { from, to, status }: Numbered,
): Promise<void> {
  await pool.query(
    `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
      next_attempt_at, created_at, ended_at)
    select $1, 'dlv_01M7Y4NYQYPG5MAQ' || lpad(n::text, 10, '0') || '.' || right($2, 8), $2, 'evt_01M7Y4NYQYPG5MAQ' || lpad(n::text, 10, '0'),
      n, 'settlement.closed', 'event', $5, 10, now(), now(), case when $5 <> 'waiting' then now() end
    from generate_series($3::int4, $4) n`,
    [partnerId, endpointId, from, to, status],
  );
}

interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Actual Loops': number;
}

/** The most rows that a step of a statement reads from a table of deliveries. */
export async function mostRows(
  { pool }: Database,
  send: (of: Pick<Database, 'pool' | 'isDistributed'>) => Promise<unknown>,
): Promise<number> {
  const sent: { text: string; values: unknown[] }[] = [];
  const query = (statement: { text: string; values: unknown[] }) => {
    sent.push(statement);
    return pool.query(statement);
  };
  await send({ pool: { query } as unknown as Database['pool'], isDistributed: false });
  let most = 0;
  const walk = (plan: PlanNode) => {
    // The few endpoints beside them may be read again for each delivery.
    if (plan['Relation Name'] === 'delivery')
      most = Math.max(most, (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']);
    for (const part of plan.Plans ?? []) walk(part);
  };
  for (const { text, values } of sent) {
    const { rows } = await pool.query({ text: `explain (analyze, format json) ${text}`, values });
    walk(rows[0]['QUERY PLAN'][0].Plan);
  }
  return most;
}
