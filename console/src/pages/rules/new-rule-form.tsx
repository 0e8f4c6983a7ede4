/** The form of a version: what it would say, what it would have done, and then its creation. */
import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { answerOf, client } from '../../api/client.ts';
import type { operations } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { useChange } from '../../api/use-change.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { isolateForeign } from '../../format/isolate.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { RuleDraftFacts } from './rule-draft-facts.tsx';
import { RuleFields, type StatedRule } from './rule-fields.tsx';
import { type Over, type PreviewQuery, RulePreview, usePreview } from './rule-preview.tsx';
import { RULE } from './rule-texts.ts';

type Body = operations['createRule']['requestBody']['content']['application/json'];

const NOTHING: StatedRule = {
  kind: 'contribution_rule',
  version: '',
  starts_at: '',
  points_min: '1',
  points_max: '',
  reviews_everything: false,
  review_threshold: '',
  daily_points_cap: '',
  daily_count_cap: '',
  point_value: '',
  tree_cost: '',
  currency: 'SAR',
};

/** The members of the kind that were stated. */
function membersOf(stated: StatedRule, partner: string | undefined) {
  const trimmed = (name: Exclude<keyof StatedRule, 'reviews_everything'>) => stated[name].trim();
  const of = { kind: stated.kind, ...present({ partner_id: partner }) };
  if (stated.kind === 'contribution_rule')
    return {
      ...of,
      ...present({
        points_min: trimmed('points_min'),
        points_max: trimmed('points_max'),
        review_threshold: trimmed('review_threshold'),
        daily_points_cap: trimmed('daily_points_cap'),
        daily_count_cap: trimmed('daily_count_cap'),
      }),
    };
  const price =
    stated.kind === 'point_conversion' ? { point_value: trimmed('point_value') } : { tree_cost: trimmed('tree_cost') };
  return { ...of, ...present({ ...price, currency: trimmed('currency').toUpperCase() }) };
}

interface NewRuleFormProps {
  /** The partner whose rule it is; absent for all partners. */
  readonly partner: string | undefined;
  /** Absent where the partner is fixed. */
  readonly onPartner?: (partnerId: string | undefined) => void;
  /** The currency of the partner; `null` where it has none, absent where the partner is not fixed. */
  readonly currency?: string | null;
  readonly onCreated: () => void;
}

export function NewRuleForm({ partner, onPartner, currency, onCreated }: NewRuleFormProps) {
  const t = useTexts(RULE);
  const mayCreate = useMay('admin');
  const [proposed] = useState<StatedRule>({ ...NOTHING, ...present({ currency: currency ?? '' }) });
  const [stated, setStated] = useState(proposed);
  // What is only previewed is not saved by anybody.
  useUnsaved(mayCreate && JSON.stringify(stated) !== JSON.stringify(proposed));
  const [previewed, setPreviewed] = useState<PreviewQuery>();
  const [over, setOver] = useState<Over>('last_month');
  const [isOpen, setOpen] = useState(false);
  const { error: refused } = usePreview(previewed, over);
  const isOfFields = refused instanceof ApiError && refused.problems.length > 0;
  const members = membersOf(stated, partner);
  const create = useChange({
    send: (body: Body, key) =>
      answerOf(client.POST('/operator/v1/rules', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: t.created(stated.version.trim()),
    onDone: onCreated,
  });
  // The version is there then, and the same request brings it.
  const [sent] = create.inDoubt;
  const send = () => {
    if (isOfFields) setPreviewed(undefined);
    const everything = stated.kind === 'contribution_rule' && stated.reviews_everything ? { reviews_everything: true } : {};
    const start = stated.starts_at === '' ? {} : { starts_at: new Date(stated.starts_at).toISOString() };
    create.mutate(sent ?? { ...members, ...everything, ...start, version: stated.version.trim() });
  };
  const look = () => {
    const everything = stated.kind === 'contribution_rule' && stated.reviews_everything;
    setPreviewed({ ...members, ...(everything && { reviews_everything: 'true' as const }) });
  };
  return (
    <Stack gap="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (mayCreate) setOpen(true);
          else look();
        }}
      >
        <Stack gap="md">
          <RuleFields
            {...{ stated, partner, hasCurrency: currency !== null, error: refused ?? create.error, onChange: setStated }}
            isLocked={create.isLocked}
            {...present({ onPartner })}
          />
          <Group justify="flex-end">
            {mayCreate ? (
              <Button variant="default" onClick={look}>
                {t.preview}
              </Button>
            ) : (
              <Button type="submit">{t.preview}</Button>
            )}
            {mayCreate && <Button type="submit">{t.create}</Button>}
          </Group>
        </Stack>
      </form>
      {previewed && !isOfFields && <RulePreview query={previewed} over={over} onOver={setOver} />}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`${t.create}: ${isolateForeign(stated.version)}`}
        consequence={t.createConsequence}
        label={t.create}
        change={create}
        inDoubt={sent !== undefined && t.createInDoubt}
        onConfirm={send}
      >
        <RuleDraftFacts stated={stated} partner={partner} />
      </ConfirmDialog>
    </Stack>
  );
}
