import type { Actor } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import type { BatchShare, ImpactBatch } from '../../domain/impact/impact-batch.ts';
import { INT64_MAX } from '../../domain/numbers/int64.ts';
import { refuseInvalid, ServiceError, wrongForm } from '../../domain/service-error.ts';
import { checkLine } from '../../domain/single-line-text.ts';
import { readClock } from '../../store/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { insertImpactBatch, lockImpactBatch } from '../../store/impact/impact-batch.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { withRole } from '../with-role.ts';
import { checkChangeNo } from './check-change-no.ts';
import { enqueueBatchEvents } from './enqueue-batch-events.ts';
import { addUpBeforeAndAfter, impactBatchRecord, refuseUnknownBatch } from './impact-batch-record.ts';
import { insertPoolable, type SettlementsOfPartner } from './insert-poolable.ts';
import { requireAuditedBatch } from './require-audited-batch.ts';

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

/** The batch to which settlements are added. */
interface PooledInto {
  readonly impactBatchId: string;
  /** The number of the latest change that the operator has seen: after another change nothing is added. */
  readonly expectedChangeNo?: number | undefined;
}

export interface PoolingRequest extends PooledInto, SettlementsOfPartner {}

/**
 * Adds closed settlements of one partner to a batch that is not allocated yet; this is final. The partner gets an event. Contributions
 * need no row of their own, so that a million cost the same as one.
 *
 * @returns The partner's share of the batch.
 * @throws UnverifiedRecordError For a batch that differs from the audit.
 * @throws ServiceError `forbidden`; `invalid_request` for a settlement that is unknown, open, empty or in a batch, or a batch that is
 * allocated, or was changed meanwhile.
 */
export const poolSettlements = withRole(
  'operator',
  async (
    database: Database,
    actor: Actor,
    { impactBatchId, expectedChangeNo, ...partner }: PoolingRequest,
  ): Promise<BatchShare> =>
    inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const batch = await lockRecorded(db, { impactBatchId, expectedChangeNo });
      const [share] = await poolInto(db, actor, { batch, partners: [partner] });
      return share as BatchShare;
    }),
);

export interface PoolingOfMany extends PooledInto {
  readonly partners: readonly SettlementsOfPartner[];
  /** Called with the shares of the partners of a transaction, after its commit. */
  readonly onPooled: (shares: readonly BatchShare[]) => void;
}

/**
 * Does for many partners what {@link poolSettlements} does for one, for several in each transaction: after a failure, those of the
 * transactions before it are in the batch. Each transaction has one audit entry, which names its partners.
 */
export const poolSettlementsOfMany = withRole(
  'operator',
  async (database: Database, actor: Actor, { partners, onPooled, ...into }: PoolingOfMany): Promise<void> => {
    for (const part of inParts(partners)) {
      const shares = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) =>
        poolInto(db, actor, { batch: await lockRecorded(db, into), partners: part }),
      );
      onPooled(shares);
    }
  },
);

/**
 * Each transaction reads the whole batch for its audit entry, so that few transactions cost less; each holds the batch and the end of the
 * audit, so that short ones delay others less.
 */
const SETTLEMENTS_AT_ONCE = 500;

/** All settlements of a partner are in one part, which has more settlements than usual where one partner has. */
function* inParts(partners: readonly SettlementsOfPartner[]): Generator<readonly SettlementsOfPartner[]> {
  let part: SettlementsOfPartner[] = [];
  let count = 0;
  for (const partner of partners) {
    if (part.length > 0 && count + partner.settlementIds.length > SETTLEMENTS_AT_ONCE) {
      yield part;
      part = [];
      count = 0;
    }
    part.push(partner);
    count += partner.settlementIds.length;
  }
  if (part.length > 0) yield part;
}

/**
 * Creates a batch with settlements of one partner, in one transaction: throws what {@link createImpactBatch} and {@link poolSettlements}
 * throw.
 */
export const createPooledImpactBatch = withRole(
  'operator',
  async (database: Database, actor: Actor, wanted: NewImpactBatch & SettlementsOfPartner): Promise<ImpactBatch> => {
    refuseIllFormed(wanted);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const batch = await create(db, actor, wanted);
      await poolInto(db, actor, { batch, partners: [wanted] });
      return batch;
    });
  },
);

function refuseIllFormed({ name, quantity }: NewImpactBatch): void {
  const details = [
    checkLine('name', name, NAME_MAX),
    (quantity < 1n || quantity > INT64_MAX) && wrongForm('quantity', 'a whole number of trees, 1 or more'),
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

/** Locks a batch to which settlements can be added. */
async function lockRecorded(db: Queryable, { impactBatchId, expectedChangeNo }: PooledInto): Promise<ImpactBatch> {
  const batch = (await lockImpactBatch(db, impactBatchId)) ?? refuseUnknownBatch(impactBatchId);
  if (batch.status !== 'recorded')
    throw new ServiceError(
      'invalid_request',
      `The impact batch is ${batch.status}: settlements can no longer be added. Create another batch.`,
    );
  const changed = checkChangeNo(batch, expectedChangeNo);
  if (changed) refuseInvalid([changed]);
  return batch;
}

interface Addition {
  readonly batch: ImpactBatch;
  readonly partners: readonly SettlementsOfPartner[];
}

/** The batch is locked: nobody else adds to it, so that what it had before is what it has without the added settlements. */
async function poolInto(db: Queryable, actor: Actor, { batch, partners }: Addition): Promise<BatchShare[]> {
  const { impactBatchId } = batch;
  const added = await insertPoolable(db, impactBatchId, partners);
  const { before: pooledBefore, after: pooled } = await addUpBeforeAndAfter(db, impactBatchId, partners);
  await requireAuditedBatch(db, batch, await impactBatchRecord(db, batch, pooledBefore));
  const shares = pooled.shares.filter(({ partnerId }) => added.has(partnerId));
  const before = new Map(
    shares.map(({ partnerId, settlementCount }) => [partnerId, settlementCount - (added.get(partnerId) ?? 0)]),
  );
  const isFirst = ({ partnerId }: BatchShare) => before.get(partnerId) === 0;
  const others = shares.filter((share) => !isFirst(share));
  const change = { occurredAt: await readClock(db), correlationId: actor.correlationId };
  await enqueueBatchEvents(db, batch, shares.filter(isFirst), { ...change, changeType: 'advanced', previousStatus: null });
  await enqueueBatchEvents(db, batch, others, { ...change, changeType: 'corrected', previousStatus: 'recorded' });
  const [partner, ...further] = partners;
  await audit(db, actor, {
    action: 'impact-batch.add',
    partnerId: further.length === 0 ? (partner?.partnerId ?? null) : null,
    subjectId: impactBatchId,
    before: { settlements_of_partners: Object.fromEntries(before) },
    after: await impactBatchRecord(db, batch, pooled),
  });
  return shares;
}

function subject({ impactBatchId }: ImpactBatch) {
  return { partnerId: null, subjectId: impactBatchId };
}
