import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { useSecondPerson, WhyNotSecondInRow } from '../../parts/four-eyes.tsx';
import { PartnerLink } from '../../parts/partner.tsx';
import { Person } from '../../parts/person.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Foreign, Points } from '../../parts/values.tsx';
import { useMay, useSession } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { COUNTED } from '../../texts/record-texts.ts';
import { FAILURE } from './failure-texts.ts';

type Failure = components['schemas']['Failure'];
type Step = 'approve' | 'reject';

/** What may be done with a draft, by whoever looks at it. */
export function FailureSteps({ failure }: { readonly failure: Failure }) {
  const t = useTexts(FAILURE);
  const [step, setStep] = useState<Step>();
  const { operator } = useSession();
  const mayApprove = useMay('approver');
  const isOwn = failure.drafted_by === operator.operatorId;
  const second = useSecondPerson(mayApprove && !isOwn ? failure.drafted_by : undefined, 'approve_failure');
  if (!useMay('operator')) return null;
  return (
    <>
      {second.problems.length > 0 && <WhyNotSecondInRow problems={second.problems} />}
      <Group gap={6} wrap="nowrap">
        {isOwn && (
          <Text size="sm" c="dimmed">
            {t.ownDraft}
          </Text>
        )}
        {mayApprove && !isOwn && second.mayOffer && <RowButton label={t.approve} onClick={() => setStep('approve')} />}
        <RowButton label={t.reject} isRefusal onClick={() => setStep('reject')} />
      </Group>
      {step && <StepDialog failure={failure} step={step} onClose={() => setStep(undefined)} />}
    </>
  );
}

interface StepDialogProps {
  readonly failure: Failure;
  readonly step: Step;
  readonly onClose: () => void;
}

function StepDialog({ failure, step, onClose }: StepDialogProps) {
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
  });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={isApproval ? t.approveTitle : t.rejectTitle}
      consequence={isApproval ? t.approveConsequence(counted.points(failure.points)) : t.rejectConsequence}
      label={isApproval ? t.approve : t.reject}
      color={isApproval ? 'forest' : 'red'}
      change={change}
      onConfirm={() => change.mutate(undefined)}
    >
      <Facts
        facts={[
          { label: common.partner, value: <PartnerLink id={partner_id} /> },
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
