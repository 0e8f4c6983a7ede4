import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../api/operator-types.ts';
import { DialogMenu, type MenuItem } from '../../parts/dialogs/dialog-menu.tsx';
import { WhyNotSecond } from '../../parts/four-eyes.tsx';
import { useSecondPerson } from '../../parts/use-second-person.ts';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { type BatchStep, evidenceOfProject, NEXT, otherSteps } from './batch-step.ts';
import { IMPACT } from './impact-texts.ts';
import { StepDialog } from './step-dialog.tsx';

type Detail = components['schemas']['ImpactBatchDetail'];

/** What may be recorded of a batch now, by whoever looks at it. */
export function BatchSteps({ detail }: { readonly detail: Detail }) {
  const t = useTexts(IMPACT);
  const [step, setStep] = useState<BatchStep>();
  const verification = useVerification(detail);
  const correction = useCorrection(detail);
  const mayRecord = useMay('operator');
  const { batch, settlement_count } = detail;
  if (!mayRecord) return <Note text={t.viewerHelp} />;
  const isEmpty = settlement_count === 0;
  const hasNoEvidence = batch.status === 'delivered' && evidenceOfProject(detail).length === 0;
  const next = batch.status === 'delivered' && !verification.mayOffer ? undefined : NEXT[batch.status];
  const others = otherSteps(batch.status).filter((each) => each !== 'correct' || correction.mayOffer);
  const otherChanges = others.map((each): MenuItem => ({ label: t[each], onSelect: () => setStep(each) }));
  const note =
    (isEmpty && t.needsSettlements) ||
    (hasNoEvidence && t.needsEvidence) ||
    (verification.isOfOthers && t.verifiedByAnother) ||
    (correction.isOfOthers && t.correctedByAnother) ||
    undefined;
  const problems = [...verification.problems, ...correction.problems];
  return (
    <>
      {note && <Note text={note} />}
      {problems.length > 0 && <WhyNotSecond problems={problems} />}
      {!isEmpty && otherChanges.length > 0 && <DialogMenu label={t.otherChanges} items={otherChanges} />}
      {next && !isEmpty && <Button onClick={() => setStep(next)}>{t[next]}</Button>}
      {step && <StepDialog key={step} detail={detail} step={step} onClose={() => setStep(undefined)} />}
    </>
  );
}

function Note({ text }: { readonly text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}

/** Whether the reader may verify a delivered batch now, and what the service says against it. */
function useVerification(detail: Detail) {
  const { batch } = detail;
  const isDelivered = batch.status === 'delivered';
  const isAsked = useMay('approver') && isDelivered;
  const { isOwn, mayOffer, problems } = useSecondPerson(batch.delivered_by, 'verify_batch', isAsked);
  // Who recorded the delivery reads it below, with whom to ask.
  const isOfOthers = isDelivered && !isAsked && !isOwn;
  return { mayOffer: mayOffer && evidenceOfProject(detail).length > 0, problems, isOfOthers };
}

/** Whether the reader may correct the number of trees now: after the verification it takes an approver once more, and another one. */
function useCorrection({ batch }: Detail) {
  const isVerified = batch.status === 'verified';
  const isAsked = useMay('approver') && isVerified;
  const { isOwn, mayOffer, problems } = useSecondPerson(batch.verified_by, 'correct_verified_batch', isAsked);
  return { mayOffer: mayOffer || !isVerified, problems, isOfOthers: isVerified && (isOwn || !isAsked) };
}
