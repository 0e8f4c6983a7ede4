import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const END: Statement = {
  name: 'end_estimate_early',
  text: `update estimate set ends_at = ${NOW} - make_interval(secs => $3)
    where partner_id = $1 and calculation_id = $2 and coalesce(ends_at, expires_at) > ${NOW} - make_interval(secs => $3)
    returning calculation_id`,
};

export interface EstimateId {
  readonly partnerId: string;
  readonly calculationId: string;
}

/**
 * Ends an estimate early, in a sandbox. A linked one stays readable, as it does after 24 hours.
 *
 * @param agoSeconds How long ago, so that a request that arrived before, and is under way, finds it ended too.
 * @returns Whether it changed: the partner has such an estimate, and it had not ended by then.
 */
export async function endEstimateEarly(
  db: Queryable,
  { partnerId, calculationId }: EstimateId,
  agoSeconds: number,
): Promise<boolean> {
  return (await run(db, END, [partnerId, calculationId, agoSeconds])).length > 0;
}
