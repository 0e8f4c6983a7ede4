/** What an entry of the timeline is called, and which of its facts its title says already. */
import type { components } from '../../api/operator-types.ts';
import { EVENT_TYPE } from '../../texts/code-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { HAPPENED } from '../../texts/record-texts.ts';
import { CHANGE, PLANTING } from '../impact/impact-texts.ts';
import { CONTRIBUTION } from './contribution-texts.ts';

type Entry = components['schemas']['TimelineEntry'];

interface Titled {
  readonly title: string;
  /** The names of the facts that the title has. */
  readonly said: readonly string[];
}

type Facts = Entry['facts'];

export function useEntryTitle(): (entry: Entry) => Titled {
  const t = useTexts(CONTRIBUTION);
  const happened = useTexts(HAPPENED);
  const ended = useEnded();
  const batchStep = useBatchStep();
  const eventTypes: Readonly<Record<string, string>> = useTexts(EVENT_TYPE);
  const eventOf = ({ event_type: type }: Facts) => type && (eventTypes[type] ?? type);
  const ofPeriod = (title: (period: string) => string, { period_label: period }: Facts): Titled | undefined =>
    period ? { title: title(period), said: ['period_label'] } : undefined;
  const titles: Partial<Record<Entry['kind'], (facts: Facts) => Titled | undefined>> = {
    confirmed: ended,
    failed: ended,
    batch_changed: batchStep,
    event: (facts) => ({ title: t.published(eventOf(facts) ?? ''), said: ['event_type', 'deliveries'] }),
    delivery_attempt: (facts) => ({ title: t.attempted(eventOf(facts) ?? ''), said: ['event_type'] }),
    settled: (facts) => ofPeriod(t.settledIn, facts),
    adjustment_posted: (facts) => ofPeriod(t.postedIn, facts),
  };
  return ({ kind, facts }) => titles[kind]?.(facts) ?? { title: happened[kind], said: [] };
}

/** How a review ended it, where one did. */
function useEnded(): (facts: Facts) => Titled | undefined {
  const t = useTexts(CONTRIBUTION);
  const ends = new Map<string, Titled>([
    ['review.confirm', { title: t.confirmedByReview, said: ['action'] }],
    ['review.fail', { title: t.failedByReview, said: ['action'] }],
    // Its reason is the service's own, and says the same.
    ['review.expire', { title: t.failedUndecided, said: ['action', 'reason'] }],
  ]);
  return ({ action }) => ends.get(action ?? '');
}

function useBatchStep(): (facts: Facts) => Titled | undefined {
  const t = useTexts(CONTRIBUTION);
  const changes: Readonly<Record<string, string>> = useTexts(CHANGE);
  const steps: Readonly<Record<string, string>> = useTexts(PLANTING);
  return ({ change, environmental_status: status }) => {
    const step = steps[status ?? ''];
    if (change === 'advanced' && step !== undefined)
      return { title: t.batchStep(step), said: ['change', 'environmental_status'] };
    const words = changes[change ?? ''];
    return words === undefined ? undefined : { title: t.batchStep(words), said: ['change'] };
  };
}
