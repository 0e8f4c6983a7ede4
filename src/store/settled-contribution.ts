import type { SettledContribution } from '../domain/settled-contribution.ts';
import type { Queryable } from './database.ts';
import { runLong, type Statement } from './statement.ts';

const LIST: Statement = {
  name: 'list_settled_contributions',
  text: `select transaction_id as "transactionId", status, partner_event_id as "partnerEventId", partner_order_ref as "partnerOrderRef", points,
      confirmed_at as "confirmedAt", contribution_rule_version as "contributionRuleVersion",
      point_conversion_version as "pointConversionVersion", tree_cost_version as "treeCostVersion", (
        select k.calculation_id from emissions_link k where k.partner_id = $1 and k.transaction_id = c.transaction_id
      ) as "calculationId"
    from contribution c where c.partner_id = $1 and c.transaction_id = any($2)`,
};

const TIMEOUT_MS = 5_000;

/**
 * Of one partner, by their ids, in no order; those that are not there are left out. Each is one look into the index of its key: planned for
 * what is there, because by a plan from when there was little each might read all rows of the partner.
 */
export async function listSettledContributions(
  db: Queryable,
  partnerId: string,
  transactionIds: readonly string[],
): Promise<SettledContribution[]> {
  const long = { timeoutMs: TIMEOUT_MS };
  return runLong<SettledContribution & Record<string, unknown>>(db, LIST, [partnerId, transactionIds], long);
}
