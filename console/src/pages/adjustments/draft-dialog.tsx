import { Button, Group, Select, Stack, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components, operations } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { inDigits, withoutHidden } from '../../format/as-meant.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { FieldRefusal, Problem, problemOf } from '../../parts/problem.tsx';
import { Foreign, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT_REASON } from '../../texts/record-texts.ts';
import { ADJUSTMENT } from './adjustment-texts.ts';
import { DraftPreview } from './draft-preview.tsx';
import { UndecidedAdjustments } from './undecided.tsx';
import { useDraftPreview } from './use-draft-preview.ts';

type Reason = components['schemas']['Adjustment']['reason_code'];
type DraftBody = operations['draftAdjustment']['requestBody']['content']['application/json'];

interface DraftDialogProps {
  readonly contribution: { readonly partner_id: string; readonly transaction_id: string };
  /** From where it is drafted: a file says other points. */
  readonly initialDelta?: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const TYPED_MS = 250;

/** Which contribution it is about: one of many rows was clicked. */
function Subject({ contribution: path }: Pick<DraftDialogProps, 'contribution'>) {
  const common = useTexts(COMMON);
  const { data } = useQuery({
    queryKey: ['contribution', path],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/contributions/{transaction_id}', { params: { path } })),
  });
  if (!data) return null;
  return (
    <Text>
      {common.order} <Foreign text={data.partner_order_ref} /> · {common.points} <Points value={data.points} />
    </Text>
  );
}

interface ReasonFieldProps extends Required<Pick<TextInputProps, 'label' | 'dir' | 'error'>> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Why, in one language, for the partner. */
function ReasonField({ onChange, ...field }: ReasonFieldProps) {
  return (
    <TextInput {...field} required maxLength={500} onChange={(event) => onChange(withoutHidden(event.currentTarget.value))} />
  );
}

/** Drafts an adjustment of a contribution, with what it changes as one types. A restatement changes the amount, every other reason the points. */
export function DraftDialog({ contribution, initialDelta = '', isOpen, onClose }: DraftDialogProps) {
  const t = useTexts(ADJUSTMENT);
  const common = useTexts(COMMON);
  const reasons = useTexts(ADJUSTMENT_REASON);
  const navigate = useNavigate();
  const [reason, setReason] = useState<Reason>('partner_reporting_error');
  const [delta, setDelta] = useState(initialDelta);
  const [reasonEn, setReasonEn] = useState('');
  const [reasonAr, setReasonAr] = useState('');
  const [typed] = useDebouncedValue(withoutPlus(delta), TYPED_MS);
  const isRestatement = reason === 'conversion_restatement' || reason === 'tree_cost_restatement';
  const { partner_id, transaction_id } = contribution;
  const draft = useChange({
    send: (body: DraftBody, key) =>
      answerOf(client.POST('/operator/v1/adjustments', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: ({ adjustment }) => t.draftDone(adjustment.partner_order_ref),
    onDone: ({ adjustment }) => void navigate({ href: `/adjustments/${partner_id}/${adjustment.adjustment_id}` }),
  });
  const [field, label] = isRestatement ? (['amount_delta', t.changeAmount] as const) : (['points_delta', t.change] as const);
  const preview = useDraftPreview({ contribution, reason, field, delta: typed });
  // What the service says of the number that stands there, once: it says the same of the draft.
  const foreseen = typed === withoutPlus(delta) ? preview.data?.problems.find((problem) => problem.field === field) : undefined;
  /** What was refused. */
  const forget = () => draft.reset();
  const close = () => {
    forget();
    onClose();
  };
  const send = () => {
    // A draft with another number would be a second one.
    if (draft.isUnderWay()) return;
    draft.mutate({
      partner_id,
      transaction_id,
      reason_code: reason,
      reason_en: reasonEn,
      reason_ar: reasonAr,
      [field]: withoutPlus(delta),
    });
  };
  return (
    <Dialog opened={isOpen} onClose={close} title={t.draft} size="lg" isBusy={draft.isPending}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Stack gap="md">
          <Subject contribution={contribution} />
          <UndecidedAdjustments contribution={contribution} />
          <Text size="sm" c="dimmed">
            {t.draftHelp}
          </Text>
          <Select
            label={t.why}
            allowDeselect={false}
            data={Object.entries(reasons).map(([value, label]) => ({ value, label }))}
            value={reason}
            onChange={(value) => {
              setReason(value as Reason);
              forget();
            }}
          />
          <TextInput
            label={label}
            description={isRestatement ? t.amountHelp : t.pointsHelp}
            required
            dir="ltr"
            inputMode="text"
            value={delta}
            error={foreseen ? <FieldRefusal problem={foreseen} label={label} /> : problemOf(draft.error, field, label)}
            onChange={(event) => {
              setDelta(inDigits(event.currentTarget.value));
              forget();
            }}
          />
          <DraftPreview preview={preview} />
          <Text size="sm" c="dimmed">
            {t.reasonHelp}
          </Text>
          <ReasonField
            label={t.reasonEn}
            dir="ltr"
            value={reasonEn}
            error={problemOf(draft.error, 'reason_en')}
            onChange={setReasonEn}
          />
          <ReasonField
            label={t.reasonAr}
            dir="rtl"
            value={reasonAr}
            error={problemOf(draft.error, 'reason_ar')}
            onChange={setReasonAr}
          />
          <Problem error={draft.error ?? preview.error} fields={[field, 'reason_en', 'reason_ar']} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close} disabled={draft.isPending}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={draft.isPending}>
              {t.draft}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** The service knows no sign of what is added. */
function withoutPlus(typed: string): string {
  return typed.trim().replace(/^\+/, '');
}
