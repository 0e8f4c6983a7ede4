import { Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { addWhole } from '../../format/points.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { useTexts } from '../../texts/language.tsx';
import { type NotDecided, NotDecidedList, OrderOfPartner } from './not-decided.tsx';
import { REVIEW } from './review-texts.ts';

type Decided = components['schemas']['ReviewDecision'];
type Contribution = components['schemas']['ContributionSummary'];

/** What the person chose when the dialog opened: it stays, whatever the list behind has then. */
export interface WantedDecision {
  readonly decision: 'confirm' | 'fail';
  readonly contributions: readonly Contribution[];
}

interface MadeDecision extends WantedDecision {
  readonly reason: string;
}

interface DecideDialogProps {
  /** Closed without one. */
  readonly wanted: WantedDecision | undefined;
  readonly onClose: () => void;
  readonly onDecided?: () => void;
}

const NOTHING: WantedDecision = { decision: 'confirm', contributions: [] };

/** Confirms or fails one contribution or many, with one reason. Each is decided by itself; what was not is listed with who was faster. */
export function DecideDialog({ wanted, onClose, onDecided }: DecideDialogProps) {
  const t = useTexts(REVIEW);
  const isOpen = wanted !== undefined;
  const { decision, contributions } = wanted ?? NOTHING;
  const [left, setLeft] = useState<readonly NotDecided[]>([]);
  const change = useChange({
    send: (made: MadeDecision, key) => decideAll(made, key),
    done: ({ decisions }) => (decision === 'confirm' ? t.confirmed : t.failed)(countDecided(decisions)),
    failed: ({ decisions }) => (countDecided(decisions) === 0 ? t.noneDecided : undefined),
    onDone: ({ decisions }) => {
      const notDecided = decisions.flatMap((each) => {
        const contribution = contributions.find(({ transaction_id }) => transaction_id === each.transaction_id);
        return each.error !== null && contribution ? [{ contribution, decision: each }] : [];
      });
      setLeft(notDecided);
      if (notDecided.length === 0) onClose();
      onDecided?.();
    },
    // Of many, those of the requests before it are decided.
    isContested: true,
  });
  const points = String(addWhole(contributions.map((each) => each.points)));
  const partners = new Set(contributions.map(({ partner_id }) => partner_id)).size;
  const [title, consequence] = decision === 'confirm' ? [t.confirmTitle, t.confirmConsequence] : [t.failTitle, t.failConsequence];
  const isLeft = left.length > 0;
  const [only] = contributions.length === 1 ? contributions : [];
  const close = () => {
    setLeft([]);
    onClose();
  };
  return (
    <ConfirmDialog
      key={String(isOpen)}
      isOpen={isOpen}
      onClose={close}
      title={isLeft ? t.notDecidedTitle(left.length) : title(contributions.length)}
      consequence={isLeft ? t.notDecided : consequence(points, partners)}
      label={title(contributions.length)}
      color={decision === 'fail' && !isLeft ? 'red' : 'forest'}
      asksReason
      isDone={isLeft}
      change={change}
      onConfirm={(reason) => change.mutate({ decision, contributions, reason })}
    >
      {isLeft && <NotDecidedList left={left} />}
      {!isLeft && only && (
        <Text>
          <OrderOfPartner contribution={only} />
        </Text>
      )}
    </ConfirmDialog>
  );
}

/** What the service decides with one request. */
const DECIDED_AT_ONCE_MAX = 100;

/** One request after the other. Each has a key of its own, so that a repetition decides only what is left. */
async function decideAll({ decision, contributions, reason }: MadeDecision, key: string) {
  const decisions: Decided[] = [];
  for (let start = 0; start < contributions.length; start += DECIDED_AT_ONCE_MAX) {
    const some = contributions.slice(start, start + DECIDED_AT_ONCE_MAX);
    const ids = some.map(({ partner_id, transaction_id }) => ({ partner_id, transaction_id }));
    const params = { header: { 'Idempotency-Key': `${key}.${start}` } };
    const body = { decision, reason, contributions: ids };
    decisions.push(...(await answerOf(client.POST('/operator/v1/reviews/decisions', { params, body }))).decisions);
  }
  return { decisions };
}

function countDecided(decisions: readonly Decided[]): number {
  return decisions.filter(({ error }) => error === null).length;
}
