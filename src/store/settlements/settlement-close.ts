import type { SettlementTotals } from '../../domain/settlements/settlement-totals.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import { writeExact, writeVersions } from './exact-totals.ts';
import type { KeptStatement } from './settlement.ts';

/** What the closing of a settlement fixes. */
export interface SettlementClose {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly endsAt: Date;
  readonly closedAt: Date;
  readonly totals: SettlementTotals;
  readonly currency: string | null;
  readonly statement: KeptStatement;
  readonly seal: string;
}

const CLOSE: Statement = {
  name: 'update_settlement_closed',
  text: `update settlement set status = 'closed', period_end = $3, closed_at = $4, contribution_count = $5, adjustment_count = $6,
      gross_points = $7, adjustment_points = $8, carried_points = $9, net_points = $10, exact_amount = $11, currency = $12,
      totals_by_version = $13, csv_sha256 = $14, csv_bytes = $15, line_count = $16, previous_csv_sha256 = $17, chain_sha256 = $18,
      seal = $19
    where partner_id = $1 and settlement_id = $2`,
};

/** The database refuses it for a settlement that is closed. */
export async function updateSettlementClosed(db: Queryable, closed: SettlementClose): Promise<void> {
  const { partnerId, settlementId, endsAt, closedAt, totals, currency, statement, seal } = closed;
  const { contributionCount, adjustmentCount, grossPoints, adjustmentPoints, carriedPoints, totalPoints } = totals;
  await run(db, CLOSE, [
    partnerId,
    settlementId,
    endsAt,
    closedAt,
    contributionCount,
    adjustmentCount,
    grossPoints,
    adjustmentPoints,
    carriedPoints,
    totalPoints,
    writeExact(totals.amount),
    currency,
    writeVersions(totals.byVersion),
    statement.csvSha256,
    statement.csvBytes,
    statement.lineCount,
    statement.previousCsvSha256,
    statement.chainSha256,
    seal,
  ]);
}
