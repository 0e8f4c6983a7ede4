import { afterEveryId } from '../../domain/identifiers.ts';
import type { EnvironmentalChangeType, EnvironmentalStatus } from '../../domain/impact/environmental-status.ts';
import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';

const COLUMNS = `impact_batch_id as "impactBatchId", name, status, change_no as "changeNo", project_id as "projectId", quantity,
    delayed_at as "delayedAt", expected_delivery_period as "expectedDeliveryPeriod", delivered_by as "deliveredBy",
    verified_by as "verifiedBy", created_at as "createdAt", status_at as "statusAt"`;

const INSERT: Statement = {
  name: 'insert_impact_batch',
  text: `insert into impact_batch (impact_batch_id, name, quantity, created_at, status_at) values ($1, $2, $3, ${NOW}, ${NOW})
    returning ${COLUMNS}`,
};

export async function insertImpactBatch(
  db: Queryable,
  { impactBatchId, name, quantity }: Pick<ImpactBatch, 'impactBatchId' | 'name' | 'quantity'>,
): Promise<ImpactBatch> {
  const [batch] = await run<ImpactBatch>(db, INSERT, [impactBatchId, name, quantity]);
  return batch as ImpactBatch;
}

const ONE = `select ${COLUMNS} from impact_batch where impact_batch_id = $1`;

const FIND = durableRead({ name: 'find_impact_batch', text: ONE });

export async function findImpactBatch(db: Queryable, impactBatchId: string): Promise<ImpactBatch | undefined> {
  const [batch] = await run<ImpactBatch>(db, FIND, [impactBatchId]);
  return batch;
}

const LOCK: Statement = { name: 'lock_impact_batch', text: `${ONE} for update` };

/** Finds a batch and locks it: nobody else changes it, or adds settlements to it, until the transaction ends. */
export async function lockImpactBatch(db: Queryable, impactBatchId: string): Promise<ImpactBatch | undefined> {
  const [batch] = await run<ImpactBatch>(db, LOCK, [impactBatchId]);
  return batch;
}

const LIST: Statement = {
  name: 'list_impact_batches',
  text: `select ${COLUMNS} from impact_batch where impact_batch_id < $1 order by impact_batch_id desc limit $2`,
};

/** The latest first. */
export async function listImpactBatches(
  db: Queryable,
  { beforeId = afterEveryId('batch'), limit }: { beforeId?: string; limit: number },
): Promise<ImpactBatch[]> {
  return run<ImpactBatch>(db, LIST, [beforeId, limit]);
}

const COUNT_WAITING: Statement = {
  name: 'count_waiting_impact_batches',
  text: `select count(*)::int4 as count from (select 1 from impact_batch where status = 'delivered' limit $1) counted`,
};

/** Batches that wait for their verification; `max` + 1 stands for as many or more. */
export async function countWaitingBatches(db: Queryable, max: number): Promise<number> {
  const [row] = await run<{ count: number }>(db, COUNT_WAITING, [max + 1]);
  return row?.count ?? 0;
}

export type BatchOrder = 'created_at' | 'quantity';

const IN_ORDER: KeysetList<BatchOrder> = {
  name: 'list_impact_batches_in_order',
  select: COLUMNS,
  from: 'impact_batch',
  // An id contains the time of its making.
  orders: {
    created_at: [['impact_batch_id', 'text']],
    quantity: [
      ['quantity', 'int8'],
      ['impact_batch_id', 'text'],
    ],
  },
};

export async function listBatchesInOrder(db: Queryable, page: KeysetPage<BatchOrder>): Promise<(ImpactBatch & Placed)[]> {
  return listByKeyset<ImpactBatch, BatchOrder>(db, IN_ORDER, {}, page);
}

const UPDATE: Statement = {
  name: 'update_impact_batch',
  text: `update impact_batch set status = $2, change_no = change_no + 1, project_id = $3, quantity = $4, delayed_at = $5,
      expected_delivery_period = $6, delivered_by = $7, verified_by = $8, status_at = $9
    where impact_batch_id = $1 returning ${COLUMNS}`,
};

/** The trigger `impact_batch_transition` refuses every step that the domain refuses. */
export async function updateImpactBatch(db: Queryable, batch: ImpactBatch): Promise<ImpactBatch> {
  const { impactBatchId, status, projectId, quantity, delayedAt, expectedDeliveryPeriod } = batch;
  const values = [impactBatchId, status, projectId, quantity, delayedAt, expectedDeliveryPeriod];
  const [row] = await run<ImpactBatch>(db, UPDATE, [...values, batch.deliveredBy, batch.verifiedBy, batch.statusAt]);
  return row as ImpactBatch;
}

export interface ImpactBatchChange {
  readonly changeNo: number;
  readonly changeType: EnvironmentalChangeType;
  readonly previousStatus: EnvironmentalStatus;
  readonly status: EnvironmentalStatus;
  readonly projectId: string | null;
  readonly quantity: bigint;
  readonly expectedDeliveryPeriod: string | null;
  /** The operator's own words. */
  readonly reason: string | null;
  readonly operatorId: string;
  readonly occurredAt: Date;
}

const CHANGE_COLUMNS = `change_no as "changeNo", change_type as "changeType", previous_status as "previousStatus", status,
    project_id as "projectId", quantity, expected_delivery_period as "expectedDeliveryPeriod", reason, operator_id as "operatorId",
    occurred_at as "occurredAt"`;

const INSERT_CHANGE: Statement = {
  name: 'insert_impact_batch_change',
  text: `insert into impact_batch_change (impact_batch_id, change_no, change_type, previous_status, status, project_id, quantity,
      expected_delivery_period, reason, operator_id, occurred_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

export async function insertImpactBatchChange(db: Queryable, impactBatchId: string, change: ImpactBatchChange): Promise<void> {
  const { changeNo, changeType, previousStatus, status, projectId, quantity, expectedDeliveryPeriod } = change;
  const values = [impactBatchId, changeNo, changeType, previousStatus, status, projectId, quantity, expectedDeliveryPeriod];
  await run(db, INSERT_CHANGE, [...values, change.reason, change.operatorId, change.occurredAt]);
}

const LIST_CHANGES: Statement = {
  name: 'list_impact_batch_changes',
  text: `select ${CHANGE_COLUMNS} from impact_batch_change where impact_batch_id = $1 order by change_no`,
};

/** In their order. */
export async function listImpactBatchChanges(db: Queryable, impactBatchId: string): Promise<ImpactBatchChange[]> {
  return run<ImpactBatchChange>(db, LIST_CHANGES, [impactBatchId]);
}
