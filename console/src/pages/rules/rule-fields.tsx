import { Checkbox, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../../api/operator-types.ts';
import { inDigits } from '../../format/as-meant.ts';
import { WithCode } from '../../parts/codes/with-code.tsx';
import { FieldRow } from '../../parts/fields/field-row.tsx';
import { MomentField } from '../../parts/fields/moment-field.tsx';
import { PartnerFilter } from '../../parts/partner.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { RULE, RULE_KIND } from './rule-texts.ts';

type Kind = components['schemas']['Rule']['kind'];

export interface StatedRule {
  readonly kind: Kind;
  readonly version: string;
  /** The text of the browser's field; empty for the earliest start. */
  readonly starts_at: string;
  readonly points_min: string;
  readonly points_max: string;
  readonly reviews_everything: boolean;
  readonly review_threshold: string;
  readonly daily_points_cap: string;
  readonly daily_count_cap: string;
  readonly point_value: string;
  readonly tree_cost: string;
  readonly currency: string;
}

interface RuleFieldsProps {
  readonly stated: StatedRule;
  readonly partner: string | undefined;
  /** A partner without a currency has neither value nor cost. */
  readonly hasCurrency: boolean;
  readonly error: Error | null;
  /** Whether they keep what was sent. */
  readonly isLocked: boolean;
  readonly onChange: (stated: StatedRule) => void;
  /** Absent where the partner is fixed. */
  readonly onPartner?: (partnerId: string | undefined) => void;
}

type TextField = Exclude<keyof StatedRule, 'kind' | 'reviews_everything' | 'starts_at'>;

export function RuleFields({ stated, partner, hasCurrency, error, isLocked, onChange, onPartner }: RuleFieldsProps) {
  const t = useTexts(RULE);
  const kinds = useTexts(RULE_KIND);
  // A preview takes neither a name nor a time.
  const mayCreate = useMay('admin');
  const field = (name: TextField, label: string, description?: ReactNode) => (
    <TextInput
      label={label}
      {...(description !== undefined && { description })}
      required={name === 'version'}
      dir="ltr"
      maxLength={64}
      disabled={isLocked}
      value={stated[name]}
      error={problemOf(error, name)}
      onChange={(event) => onChange({ ...stated, [name]: inDigits(event.currentTarget.value) })}
    />
  );
  return (
    <>
      <FieldRow columns={2}>
        <Select
          label={t.kind}
          allowDeselect={false}
          {...(!hasCurrency && { description: t.needsCurrency })}
          data={Object.entries(kinds).map(([value, label]) => ({
            value,
            label,
            disabled: !hasCurrency && value !== 'contribution_rule',
          }))}
          disabled={isLocked}
          value={stated.kind}
          onChange={(kind) => onChange({ ...stated, kind: kind as Kind })}
        />
        {onPartner && <PartnerFilter value={partner} onChange={onPartner} isWide disabled={isLocked} />}
        {mayCreate && field('version', t.version, <WithCode text={t.versionHelp} />)}
        {mayCreate && (
          <MomentField
            label={t.starts}
            description={t.startsHelp}
            disabled={isLocked}
            value={stated.starts_at}
            error={problemOf(error, 'starts_at')}
            onChange={(starts_at) => onChange({ ...stated, starts_at })}
          />
        )}
      </FieldRow>
      {stated.kind === 'contribution_rule' ? (
        <>
          <FieldRow columns={2}>
            {field('points_min', t.pointsMin)}
            {field('points_max', t.pointsMax, t.pointsMaxHelp)}
            {field('review_threshold', t.reviewThreshold, t.reviewThresholdHelp)}
            {field('daily_points_cap', t.dailyPointsCap, t.capHelp)}
            {field('daily_count_cap', t.dailyCountCap, t.capHelp)}
          </FieldRow>
          <Checkbox
            label={t.reviewsEverything}
            disabled={isLocked}
            checked={stated.reviews_everything}
            onChange={(event) => onChange({ ...stated, reviews_everything: event.currentTarget.checked })}
          />
        </>
      ) : (
        <FieldRow columns={2}>
          {stated.kind === 'point_conversion'
            ? field('point_value', t.pointValue, t.decimalHelp)
            : field('tree_cost', t.treeCost, t.treeCostHelp)}
          {field('currency', t.currency)}
        </FieldRow>
      )}
    </>
  );
}
