import { pricesUnderRules } from '../../operations/rules/rule-prices.ts';
import { createReadSettlements, type ReadSettlements } from '../../operations/settlements/read-settlements.ts';
import type { OperatorApiTools } from '../app.ts';

/** Remembers what it has added up, as long as the tools live. */
const readers = new WeakMap<OperatorApiTools, ReadSettlements>();

export function settlementsOf(tools: OperatorApiTools): ReadSettlements {
  const known = readers.get(tools) ?? createReadSettlements(tools.database, pricesUnderRules, 2);
  readers.set(tools, known);
  return known;
}
