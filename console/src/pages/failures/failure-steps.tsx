import { Group, Text } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { DecidedBefore } from '../../parts/dialogs/decided-before.tsx';
import { Facts } from '../../parts/facts.tsx';
import { WhyNotSecondInRow } from '../../parts/four-eyes.tsx';
import { PartnerWithId } from '../../parts/partner.tsx';
import { Person } from '../../parts/person.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { useSecondPerson } from '../../parts/use-second-person.ts';
import { Foreign, Points } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { COUNTED } from '../../texts/record-texts.ts';
import { useLastEntry } from '../audit/done-before.tsx';
import { FAILURE } from './failure-texts.ts';

type Failure = components['schemas']['Failure'];
type Step = 'approve' | 'reject';

/** What the person is about to do with a draft. */
export interface WantedStep {
  readonly failure: Failure;
  readonly step: Step;
}

interface FailureStepsProps {
  readonly failure: Failure;
  readonly onStep: (wanted: WantedStep) => void;
}

/** What may be done with a draft, by whoever looks at it. */
export function FailureSteps({ failure, onStep }: FailureStepsProps) {
  const t = useTexts(FAILURE);
  const { isOwn, mayOffer, problems } = useSecondPerson(failure.drafted_by, 'approve_failure', useMay('approver'));
  if (!useMay('operator')) return null;
  return (
    <>
      {problems.length > 0 && <WhyNotSecondInRow problems={problems} />}
      <Group gap={6} wrap="nowrap">
        {isOwn && (
          <Text size="sm" c="dimmed">
            {t.ownDraft}
          </Text>
        )}
        {mayOffer && <RowButton label={t.approve} onClick={() => onStep({ failure, step: 'approve' })} />}
        <RowButton label={t.reject} isRefusal onClick={() => onStep({ failure, step: 'reject' })} />
      </Group>
    </>
  );
}

interface StepDialogProps extends WantedStep {
  readonly onClose: () => void;
}

/** Beside the list, so that it stays where the draft leaves the list because somebody else decides it. */
export function FailureStepDialog({ failure, step, onClose }: StepDialogProps) {
  const t = useTexts(FAILURE);
  const common = useTexts(COMMON);
  const counted = useTexts(COUNTED);
  const { partner_id, failure_id } = failure;
  const isApproval = step === 'approve';
  const change = useChange({
    send: (_nothing: undefined, key) => {
      const params = { path: { partner_id, failure_id }, header: { 'Idempotency-Key': key } };
      return isApproval
        ? answerOf(client.POST('/operator/v1/partners/{partner_id}/failures/{failure_id}/approve', { params }))
        : answerOf(client.POST('/operator/v1/partners/{partner_id}/failures/{failure_id}/reject', { params }));
    },
    done: (isApproval ? t.approveDone : t.rejectDone)(failure.partner_event_id),
    onDone: onClose,
    isContested: true,
  });
  const { entry: approval } = useLastEntry(failure_id, 'failure.approve');
  const { entry: rejection } = useLastEntry(failure_id, 'failure.reject');
  const decision = approval ?? rejection;
  const isLate = decision !== undefined;
  const consequence = isApproval ? t.approveConsequence(counted.points(failure.points)) : t.rejectConsequence;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={isApproval ? t.approveTitle : t.rejectTitle}
      consequence={isLate ? common.decidedMeanwhile : consequence}
      label={isApproval ? t.approve : t.reject}
      color={isApproval || isLate ? 'forest' : 'red'}
      isDone={isLate}
      change={change}
      onConfirm={() => change.mutate(undefined)}
    >
      {decision && (
        <Text>
          <DecidedBefore
            partnerId={partner_id}
            label={approval ? t.approvedBy : t.rejectedBy}
            by={decision.operator_id}
            at={decision.recorded_at}
          />
        </Text>
      )}
      <Facts
        facts={[
          { label: common.partner, value: <PartnerWithId id={partner_id} /> },
          { label: common.points, value: <Points value={failure.points} /> },
          { label: t.event, value: <Foreign text={failure.partner_event_id} isWhole /> },
          { label: common.order, value: <Foreign text={failure.partner_order_ref} isWhole /> },
          { label: t.why, value: <Foreign text={failure.reason} isWhole /> },
          { label: t.draftedBy, value: <Person id={failure.drafted_by} /> },
        ]}
      />
    </ConfirmDialog>
  );
}
