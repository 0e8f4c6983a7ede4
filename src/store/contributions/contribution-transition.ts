import type { SealPart } from '../../domain/audit/record-seal.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { ContributionId, ContributionRecord } from './contribution.ts';
import { ABSENT, sealOf } from './contribution-seal.ts';

const CONFIRM_PENDING: Statement = {
  name: 'update_contribution_confirmed',
  text: `update contribution set status = 'confirmed', association_outcome = $3, rejection_code = $4,
      confirmed_at = ${NOW}, seal_key = $5, seal = ${sealOf('$6::text', ['created_at', NOW, ABSENT])}
    where partner_id = $1 and transaction_id = $2 returning confirmed_at as "decidedAt"`,
};

interface Decided {
  readonly decidedAt: Date;
}

export interface Confirmed extends Pick<ContributionRecord, 'associationOutcome' | 'rejectionCode'> {
  /** The seal of the row after the change. */
  readonly seal: SealPart;
}

/** Confirms a pending contribution. The database refuses it for any other. @returns When. */
export async function updateContributionConfirmed(
  db: Queryable,
  { partnerId, transactionId }: ContributionId,
  { associationOutcome, rejectionCode, seal }: Confirmed,
): Promise<Date> {
  const values = [partnerId, transactionId, associationOutcome, rejectionCode, seal.keyId, seal.mac];
  const [row] = await run<Decided>(db, CONFIRM_PENDING, values);
  return (row as Decided).decidedAt;
}

const FAIL_PENDING: Statement = {
  name: 'update_contribution_failed',
  text: `update contribution set status = 'failed', failure_reason = $3, failed_at = ${NOW},
      seal_key = $4, seal = ${sealOf('$5::text', ['created_at', ABSENT, NOW])}
    where partner_id = $1 and transaction_id = $2 returning failed_at as "decidedAt"`,
};

/** Fails a pending contribution, which frees its order. The database refuses it for any other. @returns When. */
export async function updateContributionFailed(
  db: Queryable,
  { partnerId, transactionId }: ContributionId,
  { reason, seal }: { readonly reason: string; readonly seal: SealPart },
): Promise<Date> {
  const [row] = await run<Decided>(db, FAIL_PENDING, [partnerId, transactionId, reason, seal.keyId, seal.mac]);
  return (row as Decided).decidedAt;
}
