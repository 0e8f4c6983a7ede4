import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { type Decided, DecidedBefore } from '../../parts/dialogs/decided-before.tsx';
import { useLastStep } from '../../parts/dialogs/last-step.ts';
import { WhyNotSecond } from '../../parts/four-eyes.tsx';
import { useSecondPerson } from '../../parts/use-second-person.ts';
import { useMay, useSession } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { type Detail, isWithdrawn, SubjectOfStep } from './adjustment-change.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';
import { DraftDialog } from './draft-dialog.tsx';
import { NoReceiver } from './no-receiver.tsx';
import { isImpossible, NotPossible } from './not-possible.tsx';

type Step = 'approve' | 'post' | 'reject' | 'withdraw';

/** What may be done with an adjustment now, by whoever looks at it. */
export function AdjustmentSteps({ detail }: { readonly detail: Detail }) {
  const [step, setStep] = useState<Step>();
  const last = useLastStep(step);
  return (
    <>
      {detail.adjustment.status === 'posted' ? <Reverse detail={detail} /> : <Decisions detail={detail} onStep={setStep} />}
      {last && <StepDialog detail={detail} step={last} isOpen={step !== undefined} onClose={() => setStep(undefined)} />}
    </>
  );
}

/** A posted adjustment is undone by its opposite, once. */
function Reverse({ detail: { adjustment, reversal } }: { readonly detail: Detail }) {
  const t = useTexts(ADJUSTMENT);
  const [isOpen, setOpen] = useState(false);
  if (!useMay('operator')) return null;
  const { partner_id, transaction_id } = adjustment;
  return (
    <>
      {reversal === null && (
        <Button variant="default" onClick={() => setOpen(true)}>
          {t.reverse}
        </Button>
      )}
      {/* It stays where a colleague drafts the reversal meanwhile, and says so. */}
      {(reversal === null || isOpen) && (
        <DraftDialog
          contribution={{ partner_id, transaction_id }}
          reversed={adjustment}
          isOpen={isOpen}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface DecisionsProps {
  readonly detail: Detail;
  readonly onStep: (step: Step) => void;
}

function Decisions({ detail, onStep }: DecisionsProps) {
  const t = useTexts(ADJUSTMENT);
  const [mayChange, mayApprove] = [useMay('operator'), useMay('approver')];
  const { status, drafted_by } = detail.adjustment;
  const isPossible = !isImpossible(detail);
  const isAsked = isPossible && status === 'draft' && mayApprove;
  const { isOwn, mayOffer, problems } = useSecondPerson(drafted_by, 'approve_adjustment', isAsked);
  if (status === 'rejected') return null;
  if (!mayChange) return <WhoMay detail={detail} />;
  return (
    <>
      <WhoMay detail={detail} />
      {problems.length > 0 && <WhyNotSecond problems={problems} />}
      {mayOffer && <Button onClick={() => onStep('approve')}>{t.approve}</Button>}
      {isPossible && status === 'approved' && <Button onClick={() => onStep('post')}>{t.post}</Button>}
      <Button variant="light" color="red" onClick={() => onStep(isOwn ? 'withdraw' : 'reject')}>
        {isOwn ? t.withdraw : t.reject}
      </Button>
    </>
  );
}

/** Of a step that is possible and not the reader's: whose it is. */
function WhoMay({ detail }: { readonly detail: Detail }) {
  const t = useTexts(ADJUSTMENT);
  const { status, drafted_by } = detail.adjustment;
  const [mayChange, mayApprove] = [useMay('operator'), useMay('approver')];
  const isOwn = drafted_by === useSession().operator.operatorId;
  if (isImpossible(detail)) return null;
  const ofDraft = (isOwn && t.ownDraft) || (!mayApprove && t.approvedByAnother);
  const told = status === 'draft' ? ofDraft : !mayChange && t.postedByOperator;
  return (
    told && (
      <Text size="sm" c="dimmed">
        {told}
      </Text>
    )
  );
}

interface StepDialogProps {
  readonly detail: Detail;
  readonly step: Step;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function StepDialog({ detail, step, isOpen, onClose }: StepDialogProps) {
  const { partner_id, adjustment_id } = detail.adjustment;
  const t = useTexts(ADJUSTMENT);
  const common = useTexts(COMMON);
  const statuses = useTexts(STATUS);
  const change = useChange({
    send: ({ step: wanted, reason }: { step: Step; reason: string }, key) => {
      const params = { path: { partner_id, adjustment_id }, header: { 'Idempotency-Key': key } };
      if (wanted === 'approve')
        return answerOf(client.POST('/operator/v1/partners/{partner_id}/adjustments/{adjustment_id}/approve', { params }));
      if (wanted === 'post')
        return answerOf(client.POST('/operator/v1/partners/{partner_id}/adjustments/{adjustment_id}/post', { params }));
      const body = { reason };
      return answerOf(client.POST('/operator/v1/partners/{partner_id}/adjustments/{adjustment_id}/reject', { params, body }));
    },
    done: ({ adjustment }) =>
      t.done(adjustment.partner_order_ref, isWithdrawn(adjustment) ? t.withdrawn : statuses[adjustment.status]),
    onDone: onClose,
    isContested: true,
  });
  const texts = {
    approve: [t.approveTitle, t.approveConsequence, t.approve],
    post: [t.postTitle, t.postConsequence, t.post],
    reject: [t.rejectTitle, t.rejectConsequence, t.reject],
    withdraw: [t.withdrawTitle, t.withdrawConsequence, t.withdraw],
  } as const;
  const isEnd = step === 'reject' || step === 'withdraw';
  const before = useDecidedBefore(detail, step);
  const isLate = before !== undefined || (!isEnd && isImpossible(detail));
  const [title, consequence, label] = texts[step];
  return (
    <ConfirmDialog
      key={step}
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      consequence={isLate ? common.decidedMeanwhile : consequence}
      label={label}
      color={isEnd && !isLate ? 'red' : 'forest'}
      asksReason={isEnd}
      isDone={isLate}
      change={change}
      onConfirm={(reason) => change.mutate({ step, reason })}
    >
      {before ? (
        <Text>
          <DecidedBefore partnerId={partner_id} {...before} />
        </Text>
      ) : (
        isLate && <NotPossible detail={detail} />
      )}
      <SubjectOfStep detail={detail} />
      {step === 'post' && !isLate && <NoReceiver partnerId={partner_id} />}
    </ConfirmDialog>
  );
}

/** Who took this step meanwhile, or another that leaves it no place. */
function useDecidedBefore({ adjustment }: Detail, step: Step): Decided | undefined {
  const t = useTexts(ADJUSTMENT);
  const { status, approved_by, approved_at, posted_by, posted_at, rejected_by, rejected_at } = adjustment;
  if (status === 'posted') return { label: t.postedBy, by: posted_by, at: posted_at };
  if (status === 'rejected')
    return { label: isWithdrawn(adjustment) ? t.withdrawnBy : t.rejectedBy, by: rejected_by, at: rejected_at };
  if (status === 'approved' && step === 'approve') return { label: t.approvedBy, by: approved_by, at: approved_at };
  return undefined;
}
