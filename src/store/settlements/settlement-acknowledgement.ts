import type { Acknowledgement } from '../../domain/settlements/settlement.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import { run, type Statement } from '../query.ts';

/** A partner's acknowledgement of a settlement: it is its own idempotency record. */
export interface AcknowledgementRecord extends Acknowledgement {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly acknowledgedAt: Date;
}

const COLUMNS = `partner_id as "partnerId", settlement_id as "settlementId", status, idempotency_key as "idempotencyKey", fingerprint,
    reference, note, acknowledged_at as "acknowledgedAt"`;

/**
 * SQL for how the partner answered the settlement `s`: where an acceptance ended a dispute, the acceptance.
 *
 * @param partnerId SQL.
 */
export function acknowledgementStatus(partnerId: string): string {
  return `coalesce((
        select min(k.status) from settlement_acknowledgement k where k.partner_id = ${partnerId} and k.settlement_id = s.settlement_id
      ), 'pending')`;
}

/** SQL for the whole of that answer; without a row before there is one. */
export function acknowledgementRow(partnerId: string): string {
  return `(
      select status, acknowledged_at, reference, note from settlement_acknowledgement k
      where k.partner_id = ${partnerId} and k.settlement_id = s.settlement_id order by k.status limit 1
    )`;
}

const INSERT: Statement = {
  name: 'insert_settlement_acknowledgement',
  text: `insert into settlement_acknowledgement (partner_id, settlement_id, status, idempotency_key, fingerprint, reference, note, acknowledged_at)
    values ($1, $2, $3, $4, $5, $6, $7, ${NOW})
    on conflict do nothing returning ${COLUMNS}`,
};

/**
 * @returns `undefined` when the key is taken, or the same was recorded already.
 */
export async function insertAcknowledgement(
  db: Queryable,
  acknowledgement: Omit<AcknowledgementRecord, 'acknowledgedAt'>,
): Promise<AcknowledgementRecord | undefined> {
  const { partnerId, settlementId, status, idempotencyKey, fingerprint, reference, note } = acknowledgement;
  const values = [partnerId, settlementId, status, idempotencyKey, fingerprint, reference, note];
  const [row] = await run<AcknowledgementRecord>(db, INSERT, values);
  return row;
}

const FIND_BY_KEY = durableRead({
  name: 'find_settlement_acknowledgement_by_key',
  text: `select ${COLUMNS} from settlement_acknowledgement where partner_id = $1 and idempotency_key = $2`,
});

export async function findAcknowledgementByKey(
  db: Queryable,
  partnerId: string,
  idempotencyKey: string,
): Promise<AcknowledgementRecord | undefined> {
  const [row] = await run<AcknowledgementRecord>(db, FIND_BY_KEY, [partnerId, idempotencyKey]);
  return row;
}

const LIST: Statement = {
  name: 'list_settlement_acknowledgements',
  text: `select ${COLUMNS} from settlement_acknowledgement where partner_id = $1 and settlement_id = $2 order by status`,
};

/** All acknowledgements of a settlement: at most a dispute and the acceptance that ended it. */
export async function listAcknowledgements(
  db: Queryable,
  { partnerId, settlementId }: Pick<AcknowledgementRecord, 'partnerId' | 'settlementId'>,
): Promise<AcknowledgementRecord[]> {
  return run<AcknowledgementRecord>(db, LIST, [partnerId, settlementId]);
}
