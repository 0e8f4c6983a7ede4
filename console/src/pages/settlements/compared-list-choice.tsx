import { Select } from '@mantine/core';
import { formatTimeThere } from '../../format/time.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { RECONCILIATION } from '../reconciliations/reconciliation-texts.ts';
import { countDifferences, type Reconciliation } from '../reconciliations/verdicts.ts';
import { SETTLEMENT } from './settlement-texts.ts';

interface ComparedListChoiceProps {
  readonly lists: readonly Reconciliation[];
  readonly chosen: Reconciliation | undefined;
  readonly zone: string;
  readonly onChoose: (reconciliationId: string) => void;
}

/** Which of several compared lists an answer is about. */
export function ComparedListChoice({ lists, chosen, zone, onChoose }: ComparedListChoiceProps) {
  const t = useTexts(SETTLEMENT);
  const words = useTexts(RECONCILIATION);
  const { language } = useLanguage();
  if (lists.length < 2) return null;
  const nameOf = (list: Reconciliation) => {
    const at = formatTimeThere(list.created_at, { language, zone, style: 'second' });
    return [at, words.counted(list.listed_lines), words.differs(String(countDifferences(list)))].join(' · ');
  };
  return (
    <Select
      label={t.replyList}
      allowDeselect={false}
      data={lists.map((list) => ({ value: list.reconciliation_id, label: nameOf(list) }))}
      value={chosen?.reconciliation_id ?? null}
      onChange={(value) => {
        if (value !== null) onChoose(value);
      }}
      maw={480}
    />
  );
}
