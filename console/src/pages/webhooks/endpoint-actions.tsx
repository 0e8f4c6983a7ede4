import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { NoAnswerError } from '../../api/api-error.ts';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { endpointName } from '../../format/endpoint-name.ts';
import { formatBounded } from '../../format/points.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { useLastStep } from '../../parts/dialogs/last-step.ts';
import { MomentField } from '../../parts/fields/moment-field.tsx';
import { hint } from '../../parts/hint.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { DoneBefore } from '../audit/done-before.tsx';
import { useAttemptAnswer } from './attempt-answer.ts';
import { NewSecret } from './new-secret.tsx';
import { RecoverProgress } from './recover-progress.tsx';
import { RemoveEndpoint } from './remove-endpoint.tsx';
import type { EndpointActivity } from './use-endpoint-activity.ts';
import { WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];
type Step = 'enable' | 'disable' | 'recover';

interface ActionsProps {
  readonly endpoint: Endpoint;
  /** `undefined` until it is known. */
  readonly activity: EndpointActivity | undefined;
  /** The endpoint as it is now. */
  readonly readNow: () => Promise<Endpoint>;
}

/**
 * What mends a receiver that did not take its events: enabling it, where it is disabled, a test, sending what it missed, a new secret. And
 * the removal of one that is wanted no more.
 */
export function EndpointActions(props: ActionsProps) {
  const [step, setStep] = useState<Step>();
  const last = useLastStep(step);
  if (!useMay('operator')) return null;
  return (
    <>
      {props.endpoint.status !== 'removed' && <Offers {...props} onStep={setStep} />}
      <NewSecret endpoint={props.endpoint} readNow={props.readNow} />
      <RemoveEndpoint {...props} />
      {last && <StepDialog {...props} step={last} isOpen={step !== undefined} onClose={() => setStep(undefined)} />}
    </>
  );
}

interface OffersProps extends ActionsProps {
  readonly onStep: (step: Step) => void;
}

function Offers({ endpoint, activity, onStep }: OffersProps) {
  const t = useTexts(WEBHOOK);
  const test = useTest(endpoint);
  return (
    <>
      <Problem error={test.error} inDoubt={test.error instanceof NoAnswerError && t.testInDoubt} />
      {endpoint.status === 'disabled' && <Button onClick={() => onStep('enable')}>{t.enable}</Button>}
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate(undefined)} {...hint(t.testHelp)}>
        {t.test}
      </Button>
      <RecoverButton activity={activity} onClick={() => onStep('recover')} />
      {endpoint.status !== 'disabled' && (
        <Button variant="light" color="red" onClick={() => onStep('disable')}>
          {t.disable}
        </Button>
      )}
    </>
  );
}

/** Where nothing is exhausted it says so: by its hint, which a button that is switched off altogether would not show. */
function RecoverButton({ activity, onClick }: { readonly activity: EndpointActivity | undefined; readonly onClick: () => void }) {
  const t = useTexts(WEBHOOK);
  if (activity && activity.exhausted.count > 0)
    return (
      <Button variant="default" onClick={onClick}>
        {t.recover}
      </Button>
    );
  return (
    <Button variant="default" data-disabled aria-disabled {...(activity && hint(t.recoverNothing))}>
      {t.recover}
    </Button>
  );
}

function useTest({ partner_id, endpoint_id, url }: Endpoint) {
  const t = useTexts(WEBHOOK);
  const answerOfAttempt = useAttemptAnswer();
  const params = { path: { partner_id, endpoint_id } };
  return useChange({
    send: (_nothing: undefined) =>
      answerOf(client.POST('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/test', { params })),
    done: ({ milliseconds }) => t.testGood(milliseconds),
    failed: ({ is_success, status, error_class }) =>
      is_success ? undefined : t.testBad(endpointName(url), answerOfAttempt({ status, error_class })),
  });
}

interface StepDialogProps extends ActionsProps {
  readonly step: Step;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** What a step did, and whether that is nothing. */
interface Told {
  readonly text: string;
  readonly isVain?: boolean;
}

/** What was done meanwhile, that leaves the step no place. */
function doneBefore(step: Step, { status }: Endpoint): 'enable' | 'disable' | 'remove' | undefined {
  if (status === 'removed') return 'remove';
  if (step === 'enable' && status === 'active') return 'enable';
  return step === 'disable' && status === 'disabled' ? 'disable' : undefined;
}

/** It stays where a colleague, or the service, is faster. */
function StepDialog({ endpoint, activity, readNow, step, isOpen, onClose }: StepDialogProps) {
  const t = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const { partner_id, endpoint_id, created_at } = endpoint;
  // All that the dialog counts.
  const all = toLocal(created_at);
  const [since, setSince] = useState(all);
  const [held, exhausted] = [activity?.held, activity?.exhausted].map((counted) => (counted ? formatBounded(counted) : '–'));
  const end = () => {
    setSince(all);
    onClose();
  };
  const change = useStep({ endpoint, readNow, held: held ?? '', onDone: end });
  const before = doneBefore(step, endpoint);
  const [title, consequence, label] = {
    enable: [t.enableTitle, t.enableConsequence, t.enable],
    disable: [t.disableTitle, t.disableConsequence, t.disable],
    recover: [t.recoverTitle, t.recoverConsequence, t.recover],
  }[step] as [string, string, string];
  return (
    <ConfirmDialog
      key={step}
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      label={label}
      consequence={before ? common.changedMeanwhile : consequence}
      color={step === 'disable' && !before ? 'red' : 'forest'}
      isDone={before !== undefined}
      asksReason={step === 'disable'}
      isTyped={step === 'recover' && since !== all}
      change={change}
      onConfirm={(reason) => change.mutate({ step, text: step === 'recover' ? new Date(since).toISOString() : reason })}
    >
      {before && (
        <DoneBefore
          partnerId={partner_id}
          subjectId={endpoint_id}
          action={`endpoint.${before}`}
          label={{ enable: t.enabledBy, disable: t.disabledBy, remove: t.removedBy }[before]}
        />
      )}
      {step === 'enable' && !before && (
        <Text size="sm">
          {t.heldNow}: <bdi className="figure">{held}</bdi>
        </Text>
      )}
      {step === 'recover' && !before && (
        <Text size="sm">
          {t.exhaustedNow}: <bdi className="figure">{exhausted}</bdi>
        </Text>
      )}
      {step === 'recover' && change.isPending && <RecoverProgress endpointId={endpoint_id} exhausted={activity?.exhausted} />}
      {step === 'recover' && !before && (
        <MomentField label={t.sinceTime} required disabled={change.isPending} value={since} onChange={setSince} />
      )}
    </ConfirmDialog>
  );
}

interface UseStepTerms extends Pick<ActionsProps, 'endpoint' | 'readNow'> {
  readonly held: string;
  readonly onDone: () => void;
}

/** Sends a step, and says what it did. */
function useStep({ endpoint, readNow, held, onDone }: UseStepTerms) {
  const t = useTexts(WEBHOOK);
  const { partner_id, endpoint_id, url, status } = endpoint;
  const path = { partner_id, endpoint_id };
  const name = endpointName(url);
  return useChange<{ step: Step; text: string }, Told>({
    async send({ step: wanted, text }, key) {
      if (wanted === 'enable') {
        await answerOf(client.POST('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/enable', { params: { path } }));
        return { text: t.enabled(name, held) };
      }
      if (wanted === 'disable') {
        const body = { reason: text };
        await answerOf(
          client.POST('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/disable', { params: { path }, body }),
        );
        return { text: t.disabledDone(name) };
      }
      const params = { path, header: { 'Idempotency-Key': key } };
      const body = { since: text };
      const call = client.POST('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/recover', { params, body });
      const { recovered } = await answerOf(call);
      if (recovered === 0) return { text: t.recoveredNone, isVain: true };
      return { text: status === 'disabled' ? t.recoveredHeld(recovered) : t.recovered(recovered) };
    },
    done: ({ text }) => text,
    failed: ({ text, isVain = false }) => (isVain ? text : undefined),
    onDone,
    isContested: true,
    isMadeNow: async ({ step: wanted }) => doneBefore(wanted, await readNow()) !== undefined,
  });
}

/** The time in the form of the browser's field, in its own zone: `2026-03-02T14:05`. */
function toLocal(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
