import { useState } from 'react';
import { RowButton } from '../../parts/row-button.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';
import { DraftDialog } from './draft-dialog.tsx';
import type { AdjustedContribution } from './draft-fields.tsx';
import { type OpenAdjustments, OpenOrDraft } from './open-adjustments.tsx';

interface DraftOfLineProps {
  readonly contribution: AdjustedContribution;
  /** The order of the line, which tells its button from the others. */
  readonly order: string | null;
  readonly open: OpenAdjustments | undefined;
  /** What the line proposes. */
  readonly initialDelta?: string;
}

/** Beside a line of a settlement or of a list: the open adjustments of its contribution, or the offer to draft one. */
export function DraftOfLine({ contribution, order, open, ...proposed }: DraftOfLineProps) {
  const t = useTexts(ADJUSTMENT);
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  const show = () => {
    setOpened(true);
    setOpen(true);
  };
  return (
    <>
      <OpenOrDraft open={open} transactionId={contribution.transaction_id}>
        <RowButton label={t.draft} about={order ?? contribution.transaction_id} onClick={show} />
      </OpenOrDraft>
      {/* It stays where a colleague drafts one meanwhile, and says so. Closed, it knows what may have been drafted. */}
      {wasOpened && <DraftDialog contribution={contribution} {...proposed} isOpen={isOpen} onClose={() => setOpen(false)} />}
    </>
  );
}
