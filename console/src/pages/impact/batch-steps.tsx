import { Button, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../api/operator-types.ts';
import { useMay, useSession } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { IMPACT } from './impact-texts.ts';
import { type BatchStep, StepDialog } from './step-dialog.tsx';

type Detail = components['schemas']['ImpactBatchDetail'];
type Status = Detail['batch']['status'];

const NEXT: Readonly<Partial<Record<Status, BatchStep>>> = {
  recorded: 'allocate',
  allocated: 'fund',
  funded: 'start',
  in_progress: 'deliver',
  delivered: 'verify',
};
/** While a project plants. */
const UNDER_WAY: readonly Status[] = ['allocated', 'funded', 'in_progress'];

/** What may be recorded of a batch now, by whoever looks at it. */
export function BatchSteps({ detail }: { readonly detail: Detail }) {
  const t = useTexts(IMPACT);
  const [step, setStep] = useState<BatchStep>();
  const mayRecord = useMay('operator');
  const mayVerify = useMay('approver');
  const { operator } = useSession();
  const { batch, settlement_count, evidence } = detail;
  if (!mayRecord) return null;
  const isEmpty = settlement_count === 0;
  const hasNoEvidence = evidence.length === 0;
  const isDelivered = batch.status === 'delivered';
  const isOwn = isDelivered && batch.delivered_by === operator.operatorId;
  const next = isDelivered && (!mayVerify || isOwn || hasNoEvidence) ? undefined : NEXT[batch.status];
  const note = (isEmpty && t.needsSettlements) || (isDelivered && hasNoEvidence && t.needsEvidence) || undefined;
  return (
    <>
      {note && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
      {!isEmpty && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" aria-label={t.otherChanges}>
              …
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {UNDER_WAY.includes(batch.status) && <Menu.Item onClick={() => setStep('delay')}>{t.delay}</Menu.Item>}
            {UNDER_WAY.includes(batch.status) && <Menu.Item onClick={() => setStep('reallocate')}>{t.reallocate}</Menu.Item>}
            <Menu.Item onClick={() => setStep('correct')}>{t.correct}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {next && !isEmpty && <Button onClick={() => setStep(next)}>{t[next]}</Button>}
      <StepDialog key={step ?? 'none'} detail={detail} step={step} onClose={() => setStep(undefined)} />
    </>
  );
}
