import { adviseMissing, RECONCILIATION_VERDICTS } from '../domain/reconciliations/line-verdict.ts';
import { describeListProblem } from '../domain/reconciliations/list-problem.ts';
import type { Reconciliation } from '../store/reconciliations/reconciliation.ts';
import { MISSING_FROM, type ReconciliationLine } from '../store/reconciliations/reconciliation-line.ts';

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
    is_statement: one.isStatement,
    listed_lines: one.listedLines,
    compared_settlement_lines: one.comparedThrough,
    counts: Object.fromEntries([...RECONCILIATION_VERDICTS, 'malformed' as const].map((name) => [name, counts[name] ?? 0])),
    // Lines that were compared before net points existed are gross.
    matched_points: { gross: counts.gross ?? counts.matched ?? 0, net: counts.net ?? 0 },
    created_at: one.createdAt.toISOString(),
    ended_at: one.endedAt?.toISOString() ?? null,
    lines_removed_at: one.linesRemovedAt?.toISOString() ?? null,
  };
}

export function reconciliationLineToWire(line: ReconciliationLine) {
  const isListed = line.position < MISSING_FROM;
  return {
    position: line.position,
    line_no: isListed ? line.position : null,
    verdict: line.verdict,
    line_type: line.lineType ?? (line.verdict === 'malformed' ? null : 'contribution'),
    partner_event_id: line.partnerEventId,
    partner_order_ref: line.partnerOrderRef,
    adjustment_id: line.adjustmentId,
    points: line.points,
    matched_points: line.matchedPoints,
    transaction_id: line.transactionId,
    recorded_order_ref: line.recordedOrderRef,
    recorded_points: line.recordedPoints,
    recorded_net_points: line.recordedNetPoints,
    recorded_settlement_id: line.recordedSettlementId,
    details: detailsOf(line),
  };
}

function detailsOf({ verdict, lineType, problems }: ReconciliationLine) {
  if (verdict === 'missing_in_service') return adviseMissing(lineType ?? 'contribution');
  return (problems ?? []).map((problem) => describeListProblem(problem, lineType));
}
