import { pluralise } from '../../domain/pluralise.ts';
import { getPartner } from '../../operations/access/manage-partner.ts';
import { getImpactBatch } from '../../operations/impact/impact-batch-record.ts';
import { poolSettlements } from '../../operations/impact/pool-contributions.ts';
import { eachPartner } from '../../store/access/partner.ts';
import type { Database } from '../../store/database.ts';
import { listUnpooledSettlements } from '../../store/impact/impact-batch-settlement.ts';
import { confirm } from '../terminal/confirmation.ts';
import { UsageError } from '../terminal/options.ts';
import { printProgress } from '../terminal/output.ts';
import type { OperatorContext } from '../terminal/with-operator.ts';
import { printBatch } from './impact-batch-output.ts';

interface AddOptions {
  readonly batch: string;
  readonly period?: string;
  readonly partner?: string;
  readonly settlement?: readonly string[];
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** One transaction per partner. An interrupted command is completed by repeating it. */
export async function addToBatch(
  { database, actor }: OperatorContext,
  { batch: id, yes, json, ...wanted }: AddOptions,
): Promise<void> {
  const batch = await getImpactBatch(database.pool, id);
  const found = await findWanted(database, wanted);
  const count = found.reduce((sum, { settlementIds }) => sum + settlementIds.length, 0);
  await confirm(
    `Add ${pluralise(count, 'settlement')} of ${pluralise(found.length, 'partner')} to the impact batch "${batch.name}"?`,
    'final',
    yes,
  );
  for (const { partnerId, settlementIds } of found) {
    const { contributionCount } = await poolSettlements(database, actor, { impactBatchId: id, partnerId, settlementIds });
    printProgress(`… ${partnerId}: in the batch with ${pluralise(contributionCount, 'contribution')}`);
  }
  await printBatch(database, await getImpactBatch(database.pool, id), json);
}

interface Wanted {
  readonly partnerId: string;
  readonly settlementIds: readonly string[];
}

async function findWanted(
  { pool }: Database,
  { period, partner, settlement }: Pick<AddOptions, 'period' | 'partner' | 'settlement'>,
): Promise<Wanted[]> {
  if ((period === undefined) === (settlement === undefined))
    throw new UsageError('Give a month, such as --period 2026-11, or --partner with --settlement.');
  if (settlement !== undefined) {
    if (partner === undefined) throw new UsageError('--settlement needs --partner.');
    return [{ partnerId: partner, settlementIds: settlement }];
  }
  const found: Wanted[] = [];
  for await (const { partnerId } of partner === undefined ? eachPartner(pool) : [await getPartner(pool, partner)]) {
    const settlements = await listUnpooledSettlements(pool, partnerId, period as string);
    if (settlements.length > 0) found.push({ partnerId, settlementIds: settlements.map(({ settlementId }) => settlementId) });
  }
  if (found.length === 0)
    throw new UsageError(
      `No closed settlement of ${period} has contributions that are in no batch. Give a month such as 2026-11, or a period such as 2026-11-2.`,
    );
  return found;
}
