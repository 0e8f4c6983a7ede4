import type { BatchShare } from '../../domain/impact/impact-batch.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { getPartner } from '../../operations/access/manage-partner.ts';
import { findUnpooled } from '../../operations/impact/find-unpooled.ts';
import { getImpactBatch } from '../../operations/impact/impact-batch-record.ts';
import type { SettlementsOfPartner } from '../../operations/impact/insert-poolable.ts';
import { poolSettlementsOfMany } from '../../operations/impact/pool-contributions.ts';
import type { Database } from '../../store/database.ts';
import { confirm } from '../terminal/confirmation.ts';
import { UsageError } from '../terminal/options.ts';
import { printNotice } from '../terminal/output.ts';
import type { OperatorContext } from '../terminal/with-operator.ts';
import { describeBatch, printChangedBatch } from './impact-batch-output.ts';

interface AddOptions {
  readonly batch: string;
  readonly period?: string;
  readonly partner?: string;
  readonly settlement?: readonly string[];
  readonly expectedChangeNo?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * In several transactions where there are many partners. An interrupted command is completed by repeating it. After a question the batch has
 * the trees that the question named: another operator may correct them while it stands.
 */
export async function addToBatch(
  { database, actor }: OperatorContext,
  { batch: id, expectedChangeNo, yes, json, ...wanted }: AddOptions,
): Promise<void> {
  const batch = await getImpactBatch(database.pool, id);
  const partners = await findWanted(database, wanted);
  const count = partners.reduce((sum, { settlementIds }) => sum + settlementIds.length, 0);
  const { sentence } = await describeBatch(database, batch);
  await confirm(
    `${sentence} Add ${pluralise(count, 'settlement')} of ${pluralise(partners.length, 'partner')} to it?`,
    'final',
    yes,
  );
  const seen = expectedChangeNo ?? (yes ? undefined : batch.changeNo);
  const pooling = { impactBatchId: id, expectedChangeNo: seen, partners, onPooled: printShares };
  await poolSettlementsOfMany(database, actor, pooling);
  await printChangedBatch(database, batch, json);
}

function printShares(shares: readonly BatchShare[]): void {
  for (const { partnerId, contributionCount } of shares)
    printNotice(`… ${partnerId}: in the batch with ${pluralise(contributionCount, 'contribution')}`);
}

async function findWanted(
  { pool }: Database,
  { period, partner, settlement }: Pick<AddOptions, 'period' | 'partner' | 'settlement'>,
): Promise<SettlementsOfPartner[]> {
  if ((period === undefined) === (settlement === undefined))
    throw new UsageError('Give a month, such as --period 2026-11, or --partner with --settlement.');
  if (settlement !== undefined) {
    if (partner === undefined) throw new UsageError('--settlement needs --partner.');
    return [{ partnerId: partner, settlementIds: settlement }];
  }
  const partnerId = partner === undefined ? undefined : (await getPartner(pool, partner)).partnerId;
  const found = await findUnpooled(pool, { period: period as string, partnerId });
  if (found.length === 0)
    throw new UsageError(
      `No closed settlement of ${period} has contributions that are in no batch. Give a month such as 2026-11, or a period such as 2026-11-2.`,
    );
  return found;
}
