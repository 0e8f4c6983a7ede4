import { findRepliedSettlements } from '../../operations/settlements/reply-to-dispute.ts';
import type { Settlement } from '../../store/settlements/settlement.ts';
import type { SettlementView } from '../../wire/settlement-to-wire.ts';
import type { OperatorApiTools } from '../app.ts';
import { showSettlement } from './settlement-schemas.ts';

/** Of a closed settlement, the totals that were read with it; those of an open one are added up. */
export async function withTotals(tools: OperatorApiTools, settlement: Settlement): Promise<SettlementView> {
  const { partnerId, settlementId, totals, currency } = settlement;
  return totals ? { settlement, totals, currency, asOf: null } : tools.shared.settlements.byId({ partnerId, settlementId });
}

/** In their order, as operators read them. Of those that a partner disputes, the audit is asked whether the partner was answered. */
export async function showSettlements({ database, environment }: OperatorApiTools, shown: readonly SettlementView[]) {
  const disputed = shown.filter(({ settlement }) => settlement.acknowledgement.status === 'disputed');
  const ids = disputed.map(({ settlement }) => settlement.settlementId);
  const replied = await findRepliedSettlements(database.pool, ids);
  return shown.map((each) => showSettlement(each, { environment, isDisputeAnswered: replied.has(each.settlement.settlementId) }));
}
