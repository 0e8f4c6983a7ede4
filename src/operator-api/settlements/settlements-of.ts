import { pricesUnderRules } from '../../operations/rules/rule-prices.ts';
import { createReadSettlements, type ReadSettlements } from '../../operations/settlements/read-settlements.ts';
import { findRepliedSettlements } from '../../operations/settlements/reply-to-dispute.ts';
import type { Settlement } from '../../store/settlements/settlement.ts';
import type { SettlementView } from '../../wire/settlement-to-wire.ts';
import type { OperatorApiTools } from '../app.ts';
import { showSettlement } from './settlement-schemas.ts';

/** Remembers what it has added up, as long as the tools live. */
const readers = new WeakMap<OperatorApiTools, ReadSettlements>();

export function settlementsOf(tools: OperatorApiTools): ReadSettlements {
  const known = readers.get(tools) ?? createReadSettlements(tools.database, pricesUnderRules, { concurrency: 2 });
  readers.set(tools, known);
  return known;
}

/** Of a closed settlement, the totals that were read with it; those of an open one are added up. */
export async function withTotals(tools: OperatorApiTools, settlement: Settlement): Promise<SettlementView> {
  const { partnerId, settlementId, totals, currency } = settlement;
  return totals ? { settlement, totals, currency, asOf: null } : settlementsOf(tools).byId({ partnerId, settlementId });
}

/** In their order, as operators read them. Of those that a partner disputes, the audit is asked whether the partner was answered. */
export async function showSettlements({ database, environment }: OperatorApiTools, shown: readonly SettlementView[]) {
  const disputed = shown.filter(({ settlement }) => settlement.acknowledgement.status === 'disputed');
  const ids = disputed.map(({ settlement }) => settlement.settlementId);
  const replied = await findRepliedSettlements(database.pool, ids);
  return shown.map((each) => showSettlement(each, { environment, isDisputeAnswered: replied.has(each.settlement.settlementId) }));
}
