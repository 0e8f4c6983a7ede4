/** A version of a rule: what it would say, what it would have done, and then its creation. */
import { Alert, Button, Group, Paper, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { operations } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { useChange } from '../../api/use-change.ts';
import { useFilters } from '../../app/use-filters.ts';
import { Page } from '../../layout/page.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { RuleFields, type StatedRule } from './rule-fields.tsx';
import { type PreviewQuery, RulePreview } from './rule-preview.tsx';
import { RULE } from './rule-texts.ts';

type Body = operations['createRule']['requestBody']['content']['application/json'];

const NOTHING: StatedRule = {
  kind: 'contribution_rule',
  ...{ version: '', starts_at: '', points_min: '1', points_max: '', reviews_everything: false, review_threshold: '' },
  ...{ daily_points_cap: '', daily_count_cap: '', point_value: '', tree_cost: '', currency: 'SAR' },
};

/** The members of the kind that were stated. */
function membersOf(stated: StatedRule, partner: string | undefined) {
  const trimmed = (name: Exclude<keyof StatedRule, 'reviews_everything'>) => stated[name].trim();
  const of = { kind: stated.kind, ...present({ partner_id: partner }) };
  if (stated.kind === 'contribution_rule')
    return {
      ...of,
      ...present({
        ...{ points_min: trimmed('points_min'), points_max: trimmed('points_max') },
        ...{ review_threshold: trimmed('review_threshold'), daily_points_cap: trimmed('daily_points_cap') },
        daily_count_cap: trimmed('daily_count_cap'),
      }),
    };
  const price =
    stated.kind === 'point_conversion' ? { point_value: trimmed('point_value') } : { tree_cost: trimmed('tree_cost') };
  return { ...of, ...present({ ...price, currency: trimmed('currency').toUpperCase() }) };
}

export function NewRule() {
  const t = useTexts(RULE);
  const navigate = useNavigate();
  const mayCreate = useMay('admin');
  const { filters, setFilters } = useFilters<'partner'>();
  const [stated, setStated] = useState(NOTHING);
  const [previewed, setPreviewed] = useState<PreviewQuery>();
  const [isOpen, setOpen] = useState(false);
  const members = membersOf(stated, filters.partner);
  const create = useChange({
    send: (body: Body, key) =>
      answerOf(client.POST('/operator/v1/rules', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: t.created,
    onDone: () => void navigate({ href: `/rules${filters.partner ? `?partner=${filters.partner}` : ''}` }),
  });
  const send = () => {
    const everything = stated.kind === 'contribution_rule' && stated.reviews_everything ? { reviews_everything: true } : {};
    const start = stated.starts_at === '' ? {} : { starts_at: new Date(stated.starts_at).toISOString() };
    create.mutate({ ...members, ...everything, ...start, version: stated.version.trim() });
  };
  const look = () => {
    const everything = stated.kind === 'contribution_rule' && stated.reviews_everything;
    setPreviewed({ ...members, ...(everything && { reviews_everything: 'true' as const }) });
  };
  return (
    <Page title={t.create} description={t.previewHelp}>
      {!mayCreate && <Alert color="gray">{t.notAllowed}</Alert>}
      <Paper p="lg">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setOpen(true);
          }}
        >
          <Stack gap="md">
            <RuleFields
              stated={stated}
              partner={filters.partner}
              error={create.error}
              onChange={setStated}
              onPartner={(partner) => setFilters({ partner })}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={look}>
                {t.preview}
              </Button>
              {mayCreate && <Button type="submit">{t.create}</Button>}
            </Group>
          </Stack>
        </form>
      </Paper>
      {previewed && <RulePreview query={previewed} />}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`${t.create}: ${stated.version}`}
        consequence={t.createConsequence}
        label={t.create}
        change={create}
        onConfirm={send}
      />
    </Page>
  );
}
