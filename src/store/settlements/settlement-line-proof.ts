import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const INSERT_PROOFS: Statement = {
  name: 'insert_settlement_line_proofs',
  text: 'insert into settlement_line_proof (partner_id, settlement_id, first_line_no, proofs) values ($1, $2, $3, $4)',
};

export interface LineProofs {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly firstLineNo: number;
  readonly proofs: Buffer;
}

export async function insertLineProofs(
  db: Queryable,
  { partnerId, settlementId, firstLineNo, proofs }: LineProofs,
): Promise<void> {
  await run(db, INSERT_PROOFS, [partnerId, settlementId, firstLineNo, proofs]);
}

const FIND_PROOFS: Statement = {
  name: 'find_settlement_line_proofs',
  text: 'select proofs from settlement_line_proof where partner_id = $1 and settlement_id = $2 and first_line_no = $3',
};

export async function findLineProofs(
  db: Queryable,
  { partnerId, settlementId, firstLineNo }: Omit<LineProofs, 'proofs'>,
): Promise<Buffer | undefined> {
  const [row] = await run<{ proofs: Buffer }>(db, FIND_PROOFS, [partnerId, settlementId, firstLineNo]);
  return row?.proofs;
}
