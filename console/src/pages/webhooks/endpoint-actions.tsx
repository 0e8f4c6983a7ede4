import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useAttemptAnswer } from './attempt-answer.ts';
import { RecoverProgress } from './recover-progress.tsx';
import { WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];
type Step = 'enable' | 'disable' | 'recover';

/** What mends a receiver that did not take its events: a test, then enabling it, then what it missed. */
export function EndpointActions({ endpoint }: { readonly endpoint: Endpoint }) {
  const t = useTexts(WEBHOOK);
  const [step, setStep] = useState<Step>();
  const test = useTest(endpoint);
  if (!useMay('operator') || endpoint.status === 'removed') return null;
  return (
    <>
      <Problem error={test.error} />
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate(undefined)}>
        {t.test}
      </Button>
      <Button variant="default" onClick={() => setStep('recover')}>
        {t.recover}
      </Button>
      {endpoint.status === 'disabled' ? (
        <Button onClick={() => setStep('enable')}>{t.enable}</Button>
      ) : (
        <Button variant="light" color="red" onClick={() => setStep('disable')}>
          {t.disable}
        </Button>
      )}
      <StepDialog endpoint={endpoint} step={step} onClose={() => setStep(undefined)} />
    </>
  );
}

function useTest({ partner_id, endpoint_id }: Endpoint) {
  const t = useTexts(WEBHOOK);
  const answerOfAttempt = useAttemptAnswer();
  const params = { path: { partner_id, endpoint_id } };
  return useChange({
    send: (_nothing: undefined) =>
      answerOf(client.POST('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/test', { params })),
    done: ({ milliseconds }) => t.testGood(milliseconds),
    failed: ({ is_success, status, error_class }) =>
      is_success ? undefined : t.testBad(answerOfAttempt({ status, error_class })),
  });
}

interface StepDialogProps {
  readonly endpoint: Endpoint;
  readonly step: Step | undefined;
  readonly onClose: () => void;
}

function StepDialog({ endpoint: { partner_id, endpoint_id, failing_since, created_at }, step, onClose }: StepDialogProps) {
  const t = useTexts(WEBHOOK);
  const [since, setSince] = useState(() => toLocal(failing_since ?? created_at));
  const path = { partner_id, endpoint_id };
  const change = useChange<{ step: Step; text: string }, string>({
    async send({ step: wanted, text }, key) {
      if (wanted === 'enable') {
        await answerOf(client.POST('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/enable', { params: { path } }));
        return t.enabled;
      }
      if (wanted === 'disable') {
        const body = { reason: text };
        await answerOf(
          client.POST('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/disable', { params: { path }, body }),
        );
        return t.disabledDone;
      }
      const params = { path, header: { 'Idempotency-Key': key } };
      const body = { since: text };
      const call = client.POST('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/recover', { params, body });
      return t.recovered((await answerOf(call)).recovered);
    },
    done: (said) => said,
    onDone: onClose,
  });
  const shown = step ?? 'enable';
  const [title, consequence, label] = {
    enable: [t.enableTitle, t.enableConsequence, t.enable],
    disable: [t.disableTitle, t.disableConsequence, t.disable],
    recover: [t.recoverTitle, t.recoverConsequence, t.recover],
  }[shown] as [string, string, string];
  return (
    <ConfirmDialog
      key={shown}
      isOpen={step !== undefined}
      onClose={onClose}
      {...{ title, consequence, label }}
      color={shown === 'disable' ? 'red' : 'forest'}
      asksReason={shown === 'disable'}
      change={change}
      onConfirm={(reason) => change.mutate({ step: shown, text: shown === 'recover' ? new Date(since).toISOString() : reason })}
    >
      {shown === 'recover' && change.isPending && <RecoverProgress endpointId={endpoint_id} />}
      {shown === 'recover' && (
        <TextInput
          type="datetime-local"
          label={t.sinceTime}
          required
          dir="ltr"
          value={since}
          onChange={(event) => setSince(event.currentTarget.value)}
        />
      )}
    </ConfirmDialog>
  );
}

/** As a field of the browser writes a time of its own zone: `2026-03-02T14:05`. */
function toLocal(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
