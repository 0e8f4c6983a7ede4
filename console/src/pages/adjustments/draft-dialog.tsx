import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components, operations } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { inDigits } from '../../format/as-meant.ts';
import { subtractDecimals } from '../../format/points.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { FieldRefusal, Problem, problemOf } from '../../parts/problem.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';
import {
  type AdjustedContribution,
  BeyondWorth,
  isRestatement,
  Opposite,
  type Reason,
  ReasonChoice,
  ReasonField,
  Subject,
} from './draft-fields.tsx';
import { DraftPreview } from './draft-preview.tsx';
import { UndecidedAdjustments } from './undecided.tsx';
import { useDraftPreview } from './use-draft-preview.ts';

type DraftBody = operations['draftAdjustment']['requestBody']['content']['application/json'];

interface DraftDialogProps {
  readonly contribution: AdjustedContribution;
  /** From where it is drafted: a file says other points. */
  readonly initialDelta?: string;
  /** A posted adjustment, whose opposite is drafted. */
  readonly reversed?: components['schemas']['Adjustment'];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const TYPED_MS = 250;

/** What the person states, and in what of the interface it is sent. */
function useStated({ contribution, initialDelta = '', reversed }: DraftDialogProps) {
  const t = useTexts(ADJUSTMENT);
  const [reason, setReason] = useState<Reason>(reversed?.reason_code ?? 'partner_reporting_error');
  const [typed, setDelta] = useState(initialDelta);
  const [reasonEn, setReasonEn] = useState('');
  const [reasonAr, setReasonAr] = useState('');
  const [beyondWorth, setBeyondWorth] = useState('');
  const [field, label] = isRestatement(reason)
    ? (['amount_delta', t.changeAmount] as const)
    : (['points_delta', t.change] as const);
  const delta = reversed ? subtractDecimals('0', reversed[field] ?? '0') : withoutPlus(typed);
  const { partner_id, transaction_id } = contribution;
  const body: DraftBody = {
    partner_id,
    reason_code: reason,
    reason_en: reasonEn,
    reason_ar: reasonAr,
    ...(reversed ? { reversal_of: reversed.adjustment_id } : { transaction_id, [field]: delta }),
  };
  return {
    reason,
    typed,
    delta,
    field,
    label,
    reasonEn,
    reasonAr,
    beyondWorth,
    body,
    setReason,
    setDelta,
    setReasonEn,
    setReasonAr,
    setBeyondWorth,
  };
}

/**
 * Drafts an adjustment of a contribution, with what it changes as one types, or the reversal of a posted one. A restatement changes the
 * amount, every other reason the points.
 */
export function DraftDialog(props: DraftDialogProps) {
  const { contribution, reversed, isOpen, onClose } = props;
  const t = useTexts(ADJUSTMENT);
  const navigate = useNavigate();
  const stated = useStated(props);
  // Closed, it keeps what is typed.
  const [isTypedInto, setTypedInto] = useState(false);
  useUnsaved(isOpen && isTypedInto);
  const draft = useChange({
    send: (body: DraftBody, key) =>
      answerOf(client.POST('/operator/v1/adjustments', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: ({ adjustment }) => t.draftDone(adjustment.partner_order_ref),
    onDone: ({ adjustment }) => {
      onClose();
      void navigate({ href: `/adjustments/${contribution.partner_id}/${adjustment.adjustment_id}`, ignoreBlocker: true });
    },
  });
  const close = () => {
    draft.reset();
    onClose();
  };
  return (
    <Dialog opened={isOpen} onClose={close} title={reversed ? t.reverseTitle : t.draft} size="lg" isBusy={draft.isPending}>
      <DraftForm {...props} stated={stated} draft={draft} onInput={() => setTypedInto(true)} onCancel={close} />
    </Dialog>
  );
}

interface DraftFormProps extends Pick<DraftDialogProps, 'contribution' | 'reversed' | 'isOpen'> {
  readonly stated: ReturnType<typeof useStated>;
  readonly draft: Pick<
    ReturnType<typeof useChange<DraftBody, unknown>>,
    'error' | 'inDoubt' | 'isLocked' | 'isPending' | 'isUnderWay' | 'reset' | 'mutate'
  >;
  readonly onInput: () => void;
  readonly onCancel: () => void;
}

function DraftForm({ contribution, reversed, isOpen, stated, draft, onInput, onCancel }: DraftFormProps) {
  const t = useTexts(ADJUSTMENT);
  const common = useTexts(COMMON);
  const { reason, field, label, delta } = stated;
  const [settled] = useDebouncedValue(delta, TYPED_MS);
  const preview = useDraftPreview({ contribution, reason, field, delta: settled, reversalOf: reversed?.adjustment_id });
  // What the service says of the number that stands there, once: it says the same of the draft.
  const isCurrent = settled === delta;
  const foreseen = isCurrent ? preview.data?.problems.find((problem) => problem.field === field) : undefined;
  const mayExceed = useMay('admin') && isCurrent && preview.data?.needs_beyond_worth_reason === true;
  const why = foreseen ? <FieldRefusal problem={foreseen} label={label} /> : problemOf(draft.error, field, label);
  // It is drafted then, and the same request leads to it.
  const [sent] = draft.inDoubt;
  const { isLocked } = draft;
  const fields = [field, 'reason_en', 'reason_ar', 'beyond_worth_reason'];
  return (
    <form
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        // A draft with another number would be a second one, and while the dialog closes, its button is still there.
        if (!isOpen || draft.isUnderWay()) return;
        draft.mutate(sent ?? { ...stated.body, ...(mayExceed && { beyond_worth_reason: stated.beyondWorth }) });
      }}
    >
      <Stack gap="md">
        <Subject contribution={contribution} />
        <UndecidedAdjustments contribution={contribution} />
        <Text size="sm" c="dimmed">
          {t.draftHelp}
        </Text>
        <ReasonChoice
          value={reason}
          isOfOneKind={reversed !== undefined}
          disabled={isLocked}
          onChange={(value) => {
            stated.setReason(value);
            draft.reset();
          }}
        />
        {reversed ? (
          <>
            <Opposite label={label} field={field} delta={delta} currency={preview.data?.currency} />
            {!mayExceed && why && (
              <Text size="sm" c="var(--mantine-color-error)" component="div">
                {why}
              </Text>
            )}
          </>
        ) : (
          <TextInput
            label={label}
            description={field === 'amount_delta' ? t.amountHelp : t.pointsHelp}
            required
            dir="ltr"
            inputMode="text"
            disabled={isLocked}
            value={stated.typed}
            error={!mayExceed && why}
            onChange={(event) => {
              stated.setDelta(inDigits(event.currentTarget.value));
              draft.reset();
            }}
          />
        )}
        {mayExceed && (
          <BeyondWorth
            effect={preview.data?.effect}
            currency={preview.data?.currency}
            disabled={isLocked}
            value={stated.beyondWorth}
            error={problemOf(draft.error, 'beyond_worth_reason', t.beyondWorth)}
            onChange={stated.setBeyondWorth}
          />
        )}
        <DraftPreview preview={preview} isAllowed={mayExceed} />
        <PartnerReasons stated={stated} error={draft.error} disabled={isLocked} />
        <Problem
          error={draft.error ?? preview.error}
          fields={fields}
          isOfReading={draft.error === null}
          inDoubt={sent !== undefined && !draft.isPending && t.draftInDoubt}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel} disabled={draft.isPending}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={draft.isPending}>
            {reversed ? t.reverseDraft : t.draft}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface PartnerReasonsProps {
  readonly stated: ReturnType<typeof useStated>;
  readonly error: Error | null;
  readonly disabled: boolean;
}

function PartnerReasons({ stated, error, disabled }: PartnerReasonsProps) {
  const t = useTexts(ADJUSTMENT);
  return (
    <>
      <Text size="sm" c="dimmed">
        {t.reasonHelp}
      </Text>
      <ReasonField
        label={t.reasonEn}
        dir="ltr"
        disabled={disabled}
        value={stated.reasonEn}
        error={problemOf(error, 'reason_en')}
        onChange={stated.setReasonEn}
      />
      <ReasonField
        label={t.reasonAr}
        dir="rtl"
        disabled={disabled}
        value={stated.reasonAr}
        error={problemOf(error, 'reason_ar')}
        onChange={stated.setReasonAr}
      />
    </>
  );
}

/** The service knows no sign of what is added. */
function withoutPlus(typed: string): string {
  return typed.trim().replace(/^\+/, '');
}
