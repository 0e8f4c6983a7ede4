import { RecordLink } from '../../layout/record-link.tsx';
import { kindOfId } from '../../layout/record-pages.ts';
import type { Fact } from '../../parts/facts.tsx';
import { FOUND } from '../../texts/code-texts.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';

/** What an event is about, by its kind. A contribution is named by its order, which stands for itself. */
export function useAboutFact(partnerId: string): (subjectId: string | null) => readonly Fact[] {
  const kinds = useTexts(FOUND);
  const { record } = useTexts(COMMON);
  return (subjectId) => {
    if (subjectId === null) return [];
    const kind = kindOfId(subjectId);
    if (kind === 'contribution') return [];
    return [{ label: kind ? kinds[kind] : record, value: <RecordLink partnerId={partnerId} id={subjectId} /> }];
  };
}
