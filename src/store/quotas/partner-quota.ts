import { DEFAULT_QUOTA, type PartnerQuota } from '../../domain/quotas/partner-quota.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const FIND: Statement = {
  name: 'find_partner_quota',
  text: `select bytes_per_day::float8 as "bytesPerDay", lists_per_day as "listsPerDay" from partner_quota where partner_id = $1`,
};

export async function findPartnerQuota(db: Queryable, partnerId: string): Promise<PartnerQuota> {
  const [row] = await run<PartnerQuota>(db, FIND, [partnerId]);
  return row ?? DEFAULT_QUOTA;
}

const PUT: Statement = {
  name: 'put_partner_quota',
  text: `insert into partner_quota (partner_id, bytes_per_day, lists_per_day) values ($1, $2, $3)
    on conflict (partner_id) do update set bytes_per_day = excluded.bytes_per_day, lists_per_day = excluded.lists_per_day`,
};

export async function putPartnerQuota(
  db: Queryable,
  partnerId: string,
  { bytesPerDay, listsPerDay }: PartnerQuota,
): Promise<void> {
  await run(db, PUT, [partnerId, bytesPerDay, listsPerDay]);
}
