/** What an entry of the timeline is called, and which of its facts its title says already. */
import type { components } from '../../api/operator-types.ts';
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

export function useEntryTitle(): (entry: Entry) => Titled {
  const t = useTexts(CONTRIBUTION);
  const happened = useTexts(HAPPENED);
  const changes: Readonly<Record<string, string>> = useTexts(CHANGE);
  const steps: Readonly<Record<string, string>> = useTexts(PLANTING);
  return ({ kind, facts }) => {
    const { change, environmental_status: status, period_label: period } = facts;
    const step = steps[status ?? ''];
    if (kind === 'batch_changed' && change === 'advanced' && step !== undefined)
      return { title: t.batchStep(step), said: ['change', 'environmental_status'] };
    const words = changes[change ?? ''];
    if (kind === 'batch_changed' && words !== undefined) return { title: t.batchStep(words), said: ['change'] };
    if (kind === 'settled' && period) return { title: t.settledIn(period), said: ['period_label'] };
    if (kind === 'adjustment_posted' && period) return { title: t.postedIn(period), said: ['period_label'] };
    return { title: happened[kind], said: [] };
  };
}
