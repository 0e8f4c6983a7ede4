/** The parts of the dialog that drafts an adjustment. */
import { Select, Stack, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { withoutHidden } from '../../format/as-meant.ts';
import { Foreign, Money, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT_REASON } from '../../texts/record-texts.ts';
import { ADJUSTMENT } from './adjustment-texts.ts';
import { type ExceedingEffect, OutsideOfWorth } from './outside-of-worth.tsx';

export type Reason = components['schemas']['Adjustment']['reason_code'];

export interface AdjustedContribution {
  readonly partner_id: string;
  readonly transaction_id: string;
}

/** Which contribution it is about: one of many rows was clicked. */
export function Subject({ contribution: path }: { readonly contribution: AdjustedContribution }) {
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

export function isRestatement(reason: Reason): boolean {
  return reason === 'conversion_restatement' || reason === 'tree_cost_restatement';
}

interface ReasonChoiceProps {
  readonly value: Reason;
  /** A reversal changes what the reversed adjustment changed: its reason is of the same kind. */
  readonly isOfOneKind: boolean;
  readonly disabled: boolean;
  readonly onChange: (reason: Reason) => void;
}

export function ReasonChoice({ value, isOfOneKind, disabled, onChange }: ReasonChoiceProps) {
  const t = useTexts(ADJUSTMENT);
  const reasons = Object.entries(useTexts(ADJUSTMENT_REASON)) as [Reason, string][];
  const offered = reasons.filter(([reason]) => !isOfOneKind || isRestatement(reason) === isRestatement(value));
  return (
    <Select
      label={t.why}
      allowDeselect={false}
      data={offered.map(([reason, label]) => ({ value: reason, label }))}
      disabled={disabled}
      value={value}
      onChange={(reason) => onChange(reason as Reason)}
    />
  );
}

interface OppositeProps {
  readonly label: string;
  readonly field: 'points_delta' | 'amount_delta';
  readonly delta: string;
  readonly currency: string | null | undefined;
}

/** The change of a reversal, which nobody types. */
export function Opposite({ label, field, delta, currency }: OppositeProps) {
  return (
    <Text>
      {label}: {field === 'points_delta' ? <Points value={delta} /> : <Money amount={delta} currency={currency} />}
    </Text>
  );
}

interface ReasonFieldProps extends Required<Pick<TextInputProps, 'label' | 'error'>> {
  readonly dir: 'ltr' | 'rtl' | 'auto';
  readonly description?: string;
  readonly disabled?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A reason in a line, for the partner or for the audit. */
export function ReasonField({ onChange, ...field }: ReasonFieldProps) {
  return (
    <TextInput {...field} required maxLength={500} onChange={(event) => onChange(withoutHidden(event.currentTarget.value))} />
  );
}

interface BeyondWorthProps {
  readonly effect: ExceedingEffect | null | undefined;
  readonly currency: string | null | undefined;
  readonly disabled: boolean;
  readonly value: string;
  readonly error: TextInputProps['error'];
  readonly onChange: (value: string) => void;
}

/** For an admin, where the settled amount would exceed the worth of the points. */
export function BeyondWorth({ effect, currency, ...field }: BeyondWorthProps) {
  const t = useTexts(ADJUSTMENT);
  return (
    <Stack gap={4}>
      {effect && (
        <Text size="sm">
          <OutsideOfWorth effect={effect} currency={currency} />
        </Text>
      )}
      <ReasonField label={t.beyondWorth} description={t.beyondWorthHelp} dir="auto" {...field} />
    </Stack>
  );
}
