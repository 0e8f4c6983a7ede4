import { SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { useChange } from '../../api/use-change.ts';
import { inDigits } from '../../format/as-meant.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { DialogMenu, type MenuItem } from '../../parts/dialogs/dialog-menu.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
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
      <ChangeDialog key={step ?? 'none'} partner={partner} step={step} onClose={() => setStep(undefined)} />
    </>
  );
}

interface ChangeDialogProps {
  readonly partner: Partner;
  readonly step: Step | undefined;
  readonly onClose: () => void;
}

const RATES = ['writes_per_second', 'lookups_per_second', 'reports_per_second'] as const;

function ChangeDialog({ partner, step, onClose }: ChangeDialogProps) {
  const t = useTexts(PARTNER);
  const shown = step ?? 'policy';
  const { suspended, active } = useTexts(STATUS);
  const changes: Readonly<Record<Step, string>> = { suspend: suspended, resume: active, policy: t.policyNew, rates: t.ratesNew };
  const [stated, setStated] = useState<Readonly<Record<string, string>>>({
    currency: partner.currency ?? '',
    time_zone: partner.time_zone,
    ...Object.fromEntries(RATES.map((name) => [name, String(partner[name])])),
  });
  const change = useChange({
    send: (sent: Readonly<Record<string, string>>) => sendChange(partner.partner_id, shown, sent),
    done: t.changed(partner.name, changes[shown]),
    onDone: onClose,
  });
  const field = (name: string, label: string) => (
    <TextInput
      key={name}
      label={label}
      dir="ltr"
      maxLength={64}
      value={stated[name] ?? ''}
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
  const [title, consequence] = texts[shown];
  return (
    <ConfirmDialog
      isOpen={step !== undefined}
      onClose={onClose}
      title={`${title}: ${partner.name}`}
      consequence={consequence}
      label={title}
      color={shown === 'suspend' ? 'red' : 'forest'}
      change={change}
      fields={Object.keys(stated)}
      onConfirm={() => change.mutate(stated)}
    >
      {shown === 'policy' && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>{[field('currency', t.currency), field('time_zone', t.zone)]}</SimpleGrid>
      )}
      {shown === 'rates' && (
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {[field(RATES[0], t.writes), field(RATES[1], t.lookups), field(RATES[2], t.reports)]}
        </SimpleGrid>
      )}
    </ConfirmDialog>
  );
}

function sendChange(partner_id: string, step: Step, sent: Readonly<Record<string, string>>) {
  const params = { path: { partner_id } };
  const trimmed = (name: string) => sent[name]?.trim() ?? '';
  switch (step) {
    case 'suspend':
      return answerOf(client.POST('/operator/v1/partners/{partner_id}/suspend', { params }));
    case 'resume':
      return answerOf(client.POST('/operator/v1/partners/{partner_id}/resume', { params }));
    case 'policy': {
      const body = present({ currency: trimmed('currency').toUpperCase(), time_zone: trimmed('time_zone') });
      return answerOf(client.PUT('/operator/v1/partners/{partner_id}/settlement-policy', { params, body }));
    }
    case 'rates': {
      const body = Object.fromEntries(RATES.map((name) => [name, trimmed(name)]));
      return answerOf(client.PUT('/operator/v1/partners/{partner_id}/rates', { params, body }));
    }
  }
}
