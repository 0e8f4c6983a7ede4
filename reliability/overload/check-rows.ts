import type { LoadFigures } from '../harness/load-generator.ts';
import { nameOf } from '../harness/load-requests.ts';

export interface Run {
  readonly run: string;
  readonly outcomes: LoadFigures['outcomes'];
}

/**
 * What was acknowledged is stored, and what was refused for good or never sent is not. A 503 of a request that was begun says
 * "unknown", and so does no answer.
 *
 * @param stored The events of all contributions.
 * @returns How many are stored whose partner does not know.
 */
export function checkRows(stored: ReadonlySet<string>, runs: readonly Run[], report: (violation: string) => void): number {
  const sent = runs.flatMap(({ run, outcomes }) =>
    Array.from(outcomes, (outcome = 'none', number) => ({ event: nameOf(run, number), outcome })),
  );
  const lost = sent.filter(({ event, outcome }) => outcome === 201 && !stored.has(event));
  const unacknowledged = sent.filter(({ event, outcome }) => outcome !== 201 && stored.has(event));
  const isUnknown = ({ outcome }: (typeof sent)[number]) => outcome === 503 || outcome === 'none';
  const refused = unacknowledged.filter((each) => !isUnknown(each));
  const others = [...stored.difference(new Set(sent.map(({ event }) => event)))];
  if (lost.length > 0) report(`${lost.length} are acknowledged and not stored, such as ${lost[0]?.event}`);
  if (refused.length > 0)
    report(`${refused.length} are stored and ended as ${refused[0]?.outcome}, such as ${refused[0]?.event}`);
  if (others.length > 0) report(`${others.length} are stored that nobody sent, such as ${others[0]}`);
  return unacknowledged.length - refused.length;
}
