import type { components } from '../../api/operator-types.ts';

type Entry = components['schemas']['TimelineEntry'];

/** The actions of the audit by which a review ends. */
const DECISIONS = ['review.confirm', 'review.fail', 'review.expire'];

/** The end of a review, its contribution and the entry of the audit are one act: it is told once, by how the contribution ended. */
export function joinDecision(entries: readonly Entry[]): readonly Entry[] {
  const decision = entries.find(({ kind }) => kind === 'review_resolved');
  const end = entries.find(({ kind }) => kind === 'confirmed' || kind === 'failed');
  const act = entries.find(({ kind, facts }) => kind === 'audited' && DECISIONS.includes(facts['action'] ?? ''));
  if (!decision || !end || !act) return entries;
  const told = {
    ...decision,
    kind: end.kind,
    correlation_id: act.correlation_id,
    facts: { ...decision.facts, action: act.facts['action'] ?? null },
  };
  return entries.flatMap((entry) => {
    if (entry === decision) return [told];
    return entry === end || entry === act ? [] : [entry];
  });
}
