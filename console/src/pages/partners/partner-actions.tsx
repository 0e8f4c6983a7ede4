import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { inDigits } from '../../format/as-meant.ts';
import { isolateForeign } from '../../format/isolate.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { DialogMenu, type MenuItem } from '../../parts/dialogs/dialog-menu.tsx';
import { readPartner } from '../../parts/partner.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { DoneBefore } from '../audit/done-before.tsx';
import { PARTNER } from './partner-texts.ts';

type Partner = components['schemas']['Partner'];
type Step = 'suspend' | 'resume' | 'policy' | 'rates';

/** What may be changed of a partner, by whoever looks at it. */
export function PartnerActions({ partner }: { readonly partner: Partner }) {
  const t = useTexts(PARTNER);
  const [step, setStep] = useState<Step>();
  const mayChange = useMay('operator');
  const isAdmin = useMay('admin');
  if (!mayChange) return null;
  const isActive = partner.status === 'active';
  const items: MenuItem[] = [
    { label: t.policy, onSelect: () => setStep('policy') },
    ...(isAdmin ? [{ label: t.rates, onSelect: () => setStep('rates') }] : []),
    isActive
      ? { label: t.suspend, color: 'red', onSelect: () => setStep('suspend') }
      : { label: t.resume, color: 'forest', onSelect: () => setStep('resume') },
  ];
  return (
    <>
      <DialogMenu label={t.change} items={items} />
      {step && <ChangeDialog key={step} partner={partner} step={step} onClose={() => setStep(undefined)} />}
    </>
  );
}

interface ChangeDialogProps {
  readonly partner: Partner;
  readonly step: Step;
  readonly onClose: () => void;
}

/** What a step leads to; nothing of the other changes, which are no step from one state to another. */
const STATUS_AFTER: Readonly<Partial<Record<Step, Partner['status']>>> = { suspend: 'suspended', resume: 'active' };

const RATES = ['writes_per_second', 'lookups_per_second', 'reports_per_second'] as const;

function ChangeDialog({ partner, step, onClose }: ChangeDialogProps) {
  const t = useTexts(PARTNER);
  const common = useTexts(COMMON);
  const statusAfter = STATUS_AFTER[step];
  const isMade = ({ status }: Partner) => status === statusAfter;
  const { suspended, active } = useTexts(STATUS);
  const changes: Readonly<Record<Step, string>> = { suspend: suspended, resume: active, policy: t.policyNew, rates: t.ratesNew };
  const now: Readonly<Record<string, string>> = {
    currency: partner.currency ?? '',
    time_zone: partner.time_zone,
    ...Object.fromEntries(RATES.map((name) => [name, String(partner[name])])),
  };
  // Only what is typed is sent: a colleague may change the rest meanwhile.
  const [stated, setStated] = useState<Readonly<Record<string, string>>>({});
  const asked = changedMembers(step, stated, now);
  const isNothing = statusAfter === undefined && Object.keys(asked).length === 0;
  const [isTried, setTried] = useState(false);
  const change = useChange({
    send: (sent: typeof asked) => sendChange(partner.partner_id, step, sent),
    done: t.changed(partner.name, changes[step]),
    onDone: onClose,
    isContested: true,
    isMadeNow: async () => statusAfter !== undefined && isMade(await readPartner(partner.partner_id)),
  });
  const isLate = isMade(partner);
  const field = (name: string, label: string) => (
    <TextInput
      key={name}
      label={label}
      dir="ltr"
      maxLength={64}
      value={stated[name] ?? now[name] ?? ''}
      error={problemOf(change.error, name)}
      onChange={(event) => setStated({ ...stated, [name]: inDigits(event.currentTarget.value) })}
    />
  );
  const texts = {
    suspend: [t.suspend, t.suspendConsequence],
    resume: [t.resume, t.resumeConsequence],
    policy: [t.policy, t.policyConsequence],
    rates: [t.rates, t.ratesConsequence],
  } as const;
  const [title, consequence] = texts[step];
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`${title}: ${isolateForeign(partner.name)}`}
      consequence={isLate ? common.changedMeanwhile : consequence}
      label={title}
      color={step === 'suspend' && !isLate ? 'red' : 'forest'}
      isDone={isLate}
      change={change}
      fields={Object.keys(now)}
      onConfirm={() => {
        setTried(true);
        if (!isNothing) change.mutate(asked);
      }}
    >
      {isLate && (
        <DoneBefore
          partnerId={partner.partner_id}
          subjectId={partner.partner_id}
          action={`partner.${step}`}
          label={step === 'suspend' ? t.suspendedBy : t.resumedBy}
        />
      )}
      {step === 'policy' && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>{[field('currency', t.currency), field('time_zone', t.zone)]}</SimpleGrid>
      )}
      {step === 'rates' && (
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {[field(RATES[0], t.writes), field(RATES[1], t.lookups), field(RATES[2], t.reports)]}
        </SimpleGrid>
      )}
      {isTried && isNothing && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {t.nothingChanged}
        </Text>
      )}
    </ConfirmDialog>
  );
}

/** What of the policy or of the rates is another value than now. A policy has no empty value. */
function changedMembers(step: Step, stated: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>) {
  const meant = Object.entries(stated).map(([name, value]) => {
    const trimmed = value.trim();
    return [name, name === 'currency' ? trimmed.toUpperCase() : trimmed] as const;
  });
  return Object.fromEntries(meant.filter(([name, value]) => value !== now[name] && (step === 'rates' || value !== '')));
}

function sendChange(partner_id: string, step: Step, body: Readonly<Record<string, string>>) {
  const params = { path: { partner_id } };
  switch (step) {
    case 'suspend':
      return answerOf(client.POST('/operator/v1/partners/{partner_id}/suspend', { params }));
    case 'resume':
      return answerOf(client.POST('/operator/v1/partners/{partner_id}/resume', { params }));
    case 'policy':
      return answerOf(client.PUT('/operator/v1/partners/{partner_id}/settlement-policy', { params, body }));
    case 'rates':
      return answerOf(client.PUT('/operator/v1/partners/{partner_id}/rates', { params, body }));
  }
}
