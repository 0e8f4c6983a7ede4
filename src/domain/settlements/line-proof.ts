import { createHmac, createSecretKey } from 'node:crypto';
import type { SettlementLine } from './settlement-line.ts';
import type { OpenedSettlement, Sign } from './settlement-seal.ts';
import { STATEMENT_COLUMNS } from './statement/statement-columns.ts';

/** How many lines share a row of proofs, and the bytes of a proof: forging a line by guessing takes 2^63 attempts. */
export const PROOFS_PER_ROW = 1_000;
export const PROOF_BYTES = 8;

/** The proof of each line of one settlement, which finds a modified line. Its key is derived by a signature. */
export function lineProver(
  sign: Sign,
  { partnerId, settlementId }: Pick<OpenedSettlement, 'partnerId' | 'settlementId'>,
): (line: SettlementLine) => Buffer {
  // Once: Node takes longer to create a key from bytes than to sign with it.
  const key = createSecretKey(sign(JSON.stringify(['settlement lines', partnerId, settlementId])), 'utf8');
  return (line) => {
    const text = STATEMENT_COLUMNS.map(({ cell }) => cell(line)).join(',');
    return createHmac('sha256', key).update(text).digest().subarray(0, PROOF_BYTES);
  };
}
