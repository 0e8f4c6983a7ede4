import { RECONCILIATION_VERDICTS } from '../domain/reconciliation.ts';
import { recoveryVerdict } from '../domain/recovery.ts';
import type { Reconciliation } from '../store/reconciliation.ts';
import { MISSING_FROM, type ReconciliationLine } from '../store/reconciliation-line.ts';

export function reconciliationPath({
  settlementId,
  reconciliationId,
}: Pick<Reconciliation, 'settlementId' | 'reconciliationId'>) {
  return `/v1/settlements/${settlementId}/reconciliations/${reconciliationId}`;
}

export function reconciliationToWire(one: Reconciliation) {
  const { counts } = one;
  return {
    reconciliation_id: one.reconciliationId,
    settlement_id: one.settlementId,
    status: one.status,
    problem: one.problem,
    path: reconciliationPath(one),
    format: one.format,
    listed_lines: one.listedLines,
    compared_settlement_lines: one.comparedThrough,
    counts: Object.fromEntries([...RECONCILIATION_VERDICTS, 'malformed' as const].map((name) => [name, counts[name] ?? 0])),
    created_at: one.createdAt.toISOString(),
    ended_at: one.endedAt?.toISOString() ?? null,
    lines_removed_at: one.linesRemovedAt?.toISOString() ?? null,
  };
}

export function reconciliationLineToWire(line: ReconciliationLine) {
  const isListed = line.position < MISSING_FROM;
  const details = line.verdict === 'missing_in_service' ? recoveryVerdict('contribution_not_found', 'lookup') : line.problems;
  return {
    position: line.position,
    line_no: isListed ? line.position : null,
    verdict: line.verdict,
    partner_event_id: line.partnerEventId,
    partner_order_ref: line.partnerOrderRef,
    points: line.points,
    transaction_id: line.transactionId,
    recorded_order_ref: line.recordedOrderRef,
    recorded_points: line.recordedPoints,
    recorded_settlement_id: line.recordedSettlementId,
    details: details ?? [],
  };
}
