import { idAt } from '../../domain/identifiers.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const COUNT: Statement = {
  name: 'count_samples',
  text: `select count(*)::int4 as count from delivery
    where partner_id = $1 and sequence is null and delivery_id >= $2 and trigger = 'sample' and created_at > now() - interval '1 minute'`,
};

/** Deliveries created a little earlier are read too: their ids contain the time of a process. */
const LOOK_BACK_MS = 180_000;

/** How many samples the partner was sent in the last minute. */
export async function countSamples(db: Queryable, partnerId: string, now: Date): Promise<number> {
  const [row] = await run<{ count: number }>(db, COUNT, [partnerId, idAt('dlv', now.getTime() - LOOK_BACK_MS)]);
  return row?.count ?? 0;
}
