import { Alert, Code, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { addWhole } from '../../format/points.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { useTexts } from '../../texts/language.tsx';
import { REVIEW } from './review-texts.ts';

type Contribution = components['schemas']['ContributionSummary'];
type Decided = components['schemas']['ReviewDecision'];
export type Decision = 'confirm' | 'fail';

interface DecideDialogProps {
  readonly contributions: readonly Contribution[];
  readonly decision: Decision | undefined;
  readonly onClose: () => void;
  readonly onDecided: () => void;
}

/** Confirms or fails one contribution or many, with one reason. Each is decided by itself. */
export function DecideDialog({ contributions, onClose, onDecided, ...props }: DecideDialogProps) {
  const t = useTexts(REVIEW);
  const isOpen = props.decision !== undefined;
  const decision = props.decision ?? 'confirm';
  const [undecided, setUndecided] = useState<readonly Decided[]>([]);
  const change = useChange({
    send: (reason: string, key) =>
      answerOf(
        client.POST('/operator/v1/reviews/decisions', {
          params: { header: { 'Idempotency-Key': key } },
          body: {
            decision,
            reason,
            contributions: contributions.map(({ partner_id, transaction_id }) => ({ partner_id, transaction_id })),
          },
        }),
      ),
    done: ({ decisions }) => (decision === 'confirm' ? t.confirmed : t.failed)(countDecided(decisions)),
    failed: ({ decisions }) => (countDecided(decisions) === 0 ? t.noneDecided : undefined),
    onDone: ({ decisions }) => {
      const left = decisions.filter(({ error }) => error !== null);
      setUndecided(left);
      if (left.length === 0) onClose();
      onDecided();
    },
  });
  const points = String(addWhole(contributions.map((each) => each.points)));
  const partners = new Set(contributions.map(({ partner_id }) => partner_id)).size;
  const [title, consequence] = decision === 'confirm' ? [t.confirmTitle, t.confirmConsequence] : [t.failTitle, t.failConsequence];
  const close = () => {
    setUndecided([]);
    onClose();
  };
  return (
    <ConfirmDialog
      key={String(isOpen)}
      isOpen={isOpen}
      onClose={close}
      title={title(contributions.length)}
      consequence={consequence(points, partners)}
      label={title(contributions.length)}
      color={decision === 'fail' ? 'red' : 'forest'}
      asksReason
      change={change}
      onConfirm={(reason) => change.mutate(reason)}
    >
      {undecided.length > 0 && (
        <Alert color="yellow" title={t.notDecided}>
          {undecided.map(({ transaction_id, error }) => (
            <Text size="sm" key={transaction_id}>
              <Code>{transaction_id}</Code> {error}
            </Text>
          ))}
        </Alert>
      )}
    </ConfirmDialog>
  );
}

function countDecided(decisions: readonly Decided[]): number {
  return decisions.filter(({ error }) => error === null).length;
}
