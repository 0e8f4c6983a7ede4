import { failures, type LoadOutcome } from '../load/load.ts';
import { SCENARIOS, type ScenarioName } from '../scenarios.ts';
import type { StoredCounts } from '../subject/database.ts';

/**
 * Compares what a load was told with what the database holds:
 * acknowledged ≤ stored ≤ acknowledged + what was in flight when the load stopped, broke off, or had an unknown outcome.
 *
 * @returns A sentence for each difference, and one when any request failed.
 */
export function listProblems(
  { scenario, connections }: { readonly scenario: ScenarioName; readonly connections: number },
  outcome: Pick<LoadOutcome, 'statuses' | 'unanswered'>,
  stored: StoredCounts,
): string[] {
  const problems: string[] = [];
  const { storesRows, needsEstimates } = SCENARIOS[scenario];
  const failed = failures(outcome);
  const acknowledged = storesRows ? (outcome.statuses['201'] ?? 0) : 0;
  const inFlightMax = storesRows ? connections + failed : 0;
  const compare = (what: string, count: number) => {
    if (count >= acknowledged && count <= acknowledged + inFlightMax) return;
    problems.push(`${scenario}: ${acknowledged} acknowledged, ${inFlightMax} in flight at most, but ${count} ${what} stored`);
  };
  compare('rows', stored.contributions + stored.estimates);
  if (needsEstimates) compare('links', stored.links);
  if (failed > 0)
    problems.push(
      `${scenario}: ${failed} requests failed: ${JSON.stringify(outcome.statuses)}, ${outcome.unanswered} unanswered`,
    );
  return problems;
}
