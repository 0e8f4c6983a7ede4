import type { Actor } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import type { BatchShare, ImpactBatch } from '../../domain/impact/impact-batch.ts';
import { POINTS_MAX } from '../../domain/numbers/points.ts';
import { type ErrorDetail, refuseInvalid, ServiceError } from '../../domain/service-error.ts';
import { isLine, lineForm } from '../../domain/single-line-text.ts';
import { readClock } from '../../store/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { insertImpactBatch, lockImpactBatch } from '../../store/impact/impact-batch.ts';
import { findBatchShare, insertBatchSettlement } from '../../store/impact/impact-batch-settlement.ts';
import { findSettlement } from '../../store/settlements/settlement.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { withRole } from '../with-role.ts';
import { impactBatchRecord, refuseUnknownBatch } from './impact-batch-record.ts';
import { enqueueBatchEvents } from './publish-batch-status.ts';

const NAME_MAX = 200;

export interface NewImpactBatch {
  readonly name: string;
  /** Whole trees, as the operator orders them. */
  readonly quantity: bigint;
  /** A new one unless given. */
  readonly impactBatchId?: string;
}

/**
 * Creates a batch without contributions. The operator states its number of trees; it is never derived from points.
 *
 * @throws ServiceError `forbidden`; `invalid_request` for an invalid name or quantity.
 */
export const createImpactBatch = withRole(
  'operator',
  async (database: Database, actor: Actor, wanted: NewImpactBatch): Promise<ImpactBatch> => {
    refuseIllFormed(wanted);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, (db) => create(db, actor, wanted));
  },
);

export interface Pooling {
  readonly impactBatchId: string;
  readonly partnerId: string;
  readonly settlementIds: readonly string[];
}

/**
 * Adds closed settlements of one partner to a batch that is not allocated yet; this is final. The partner gets an event. Contributions
 * need no row of their own, so that a million cost the same as one.
 *
 * @returns The partner's share of the batch.
 * @throws ServiceError `forbidden`; `invalid_request` for a settlement that is unknown, open, empty or in a batch, or a batch that is
 * allocated.
 */
export const poolSettlements = withRole(
  'operator',
  async (database: Database, actor: Actor, pooling: Pooling): Promise<BatchShare> =>
    inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const { impactBatchId } = pooling;
      const batch = (await lockImpactBatch(db, impactBatchId)) ?? refuseUnknownBatch(impactBatchId);
      if (batch.status !== 'recorded')
        throw new ServiceError(
          'invalid_request',
          `The impact batch is ${batch.status}: settlements can no longer be added. Create another batch.`,
        );
      return poolInto(db, actor, { batch, pooling });
    }),
);

/**
 * Creates a batch with settlements of one partner, in one transaction: throws what {@link createImpactBatch} and {@link poolSettlements}
 * throw.
 */
export const createPooledImpactBatch = withRole(
  'operator',
  async (database: Database, actor: Actor, wanted: NewImpactBatch & Omit<Pooling, 'impactBatchId'>): Promise<ImpactBatch> => {
    refuseIllFormed(wanted);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const batch = await create(db, actor, wanted);
      await poolInto(db, actor, { batch, pooling: { ...wanted, impactBatchId: batch.impactBatchId } });
      return batch;
    });
  },
);

function refuseIllFormed({ name, quantity }: NewImpactBatch): void {
  const details = [
    !isLine(name, NAME_MAX) && problem('name', `name must be ${lineForm(name, NAME_MAX)}.`),
    (quantity < 1n || quantity > POINTS_MAX) && problem('quantity', 'quantity must be a whole number of trees, 1 or more.'),
  ].filter((found) => found !== false);
  refuseInvalid(details);
}

async function create(db: Queryable, actor: Actor, wanted: NewImpactBatch): Promise<ImpactBatch> {
  const { name, quantity, impactBatchId = newId('batch') } = wanted;
  const batch = await insertImpactBatch(db, { name, quantity, impactBatchId });
  const after = await impactBatchRecord(db, batch);
  await audit(db, actor, { action: 'impact-batch.create', ...subject(batch), before: null, after });
  return batch;
}

async function poolInto(
  db: Queryable,
  actor: Actor,
  { batch, pooling }: { readonly batch: ImpactBatch; readonly pooling: Pooling },
): Promise<BatchShare> {
  const { impactBatchId, partnerId } = pooling;
  const before = await findBatchShare(db, partnerId, impactBatchId);
  for (const settlementId of new Set(pooling.settlementIds)) await pool(db, batch, { partnerId, settlementId });
  const share = await findBatchShare(db, partnerId, impactBatchId);
  const isFirst = before.settlementCount === 0;
  await enqueueBatchEvents(db, batch, [share], {
    changeType: isFirst ? 'advanced' : 'corrected',
    previousStatus: isFirst ? null : 'recorded',
    occurredAt: await readClock(db),
    correlationId: actor.correlationId,
  });
  await audit(db, actor, {
    action: 'impact-batch.add',
    partnerId,
    subjectId: impactBatchId,
    before: { settlements_of_partner: before.settlementCount },
    after: await impactBatchRecord(db, batch),
  });
  return share;
}

async function pool(
  db: Queryable,
  { impactBatchId }: ImpactBatch,
  { partnerId, settlementId }: { partnerId: string; settlementId: string },
): Promise<void> {
  const refuse = (why: string): never => {
    throw new ServiceError('invalid_request', `The settlement ${settlementId} of the partner ${partnerId} ${why}.`);
  };
  const settlement = (await findSettlement(db, partnerId, settlementId)) ?? refuse('is not there');
  const { contributionCount } = settlement.totals ?? refuse('is open; a batch takes only closed settlements');
  if (contributionCount === 0n) refuse('has no contributions');
  if (!(await insertBatchSettlement(db, impactBatchId, { partnerId, settlementId, contributionCount })))
    refuse('is already in a batch, permanently');
}

function subject({ impactBatchId }: ImpactBatch) {
  return { partnerId: null, subjectId: impactBatchId };
}

function problem(field: string, message: string): ErrorDetail {
  return { field, code: 'wrong_form', message };
}
