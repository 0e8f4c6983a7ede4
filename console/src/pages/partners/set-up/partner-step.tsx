import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, client } from '../../../api/client.ts';
import type { components, operations } from '../../../api/operator-types.ts';
import { present } from '../../../api/present.ts';
import { useChange } from '../../../api/use-change.ts';
import { useUnsaved } from '../../../app/unsaved.ts';
import { inDigits } from '../../../format/as-meant.ts';
import { Facts } from '../../../parts/facts.tsx';
import { FieldRow } from '../../../parts/fields/field-row.tsx';
import { Problem, problemOf } from '../../../parts/problem.tsx';
import { Foreign, Points } from '../../../parts/values.tsx';
import { useMay } from '../../../session/session.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { PARTNER } from '../partner-texts.ts';
import { SET_UP } from './set-up-texts.ts';

type Partner = components['schemas']['Partner'];
type Body = operations['createPartner']['requestBody']['content']['application/json'];

const ZONES = Intl.supportedValuesOf('timeZone');
const DEFAULTS = { writes_per_second: '100', lookups_per_second: '200', reports_per_second: '50' };
const PROPOSED = { name: '', currency: 'SAR', time_zone: 'Asia/Riyadh', ...DEFAULTS };

export function PartnerFactsOfStep({ partner }: { readonly partner: Partner }) {
  const t = useTexts(SET_UP);
  const { noCurrency } = useTexts(PARTNER);
  return (
    <Stack gap="xs">
      <Facts
        columns={3}
        facts={[
          { label: t.name, value: <Foreign text={partner.name} /> },
          { label: t.currency, value: partner.currency ?? noCurrency },
          { label: t.zone, value: <bdi dir="ltr">{partner.time_zone}</bdi> },
          { label: t.writesASecond, value: <Points value={String(partner.writes_per_second)} /> },
          { label: t.lookupsASecond, value: <Points value={String(partner.lookups_per_second)} /> },
          { label: t.reportsASecond, value: <Points value={String(partner.reports_per_second)} /> },
        ]}
      />
      {partner.currency === null && <Text size="sm">{t.currencyLater}</Text>}
    </Stack>
  );
}

/** Creates the partner, and goes on at its own address: whoever reloads it finds every step as it is. */
export function NewPartnerForm() {
  const t = useTexts(SET_UP);
  const navigate = useNavigate();
  const isAdmin = useMay('admin');
  const [stated, setStated] = useState(PROPOSED);
  useUnsaved(JSON.stringify(stated) !== JSON.stringify(PROPOSED));
  const create = useChange({
    send: (body: Body, key) =>
      answerOf(client.POST('/operator/v1/partners', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: t.created(stated.name.trim()),
    onDone: ({ partner_id }) => void navigate({ href: `/partners/${partner_id}/set-up`, replace: true, ignoreBlocker: true }),
  });
  // The partner is in the list then, and the same request leads to it.
  const isInDoubt = create.inDoubt.length > 0;
  const set = (name: keyof typeof stated) => (value: string) => setStated({ ...stated, [name]: value });
  const field = (name: keyof typeof stated, label: string) => ({
    label,
    disabled: create.isLocked,
    value: stated[name],
    error: problemOf(create.error, name),
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      set(name)(name === 'name' ? value : inDigits(value));
    },
  });
  const send = () => {
    const { name, currency, time_zone, ...rates } = stated;
    const terms = isAdmin ? rates : {};
    create.mutate({ name: name.trim(), time_zone, ...present({ currency: currency.trim().toUpperCase() }), ...terms });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Stack gap="md">
        <FieldRow columns={3}>
          <TextInput {...field('name', t.name)} description={t.nameHelp} required data-autofocus dir="auto" maxLength={200} />
          <TextInput {...field('currency', t.currency)} description={t.currencyHelp} dir="ltr" maxLength={3} />
          <Select
            label={t.zone}
            description={t.zoneHelp}
            required
            searchable
            allowDeselect={false}
            data={ZONES}
            limit={100}
            disabled={create.isLocked}
            value={stated.time_zone}
            error={problemOf(create.error, 'time_zone')}
            onChange={(zone) => set('time_zone')(zone ?? 'Asia/Riyadh')}
          />
        </FieldRow>
        {isAdmin ? (
          <>
            <Text size="sm" fw={600}>
              {t.terms}
            </Text>
            <FieldRow columns={3}>
              <TextInput {...field('writes_per_second', t.writes)} dir="ltr" inputMode="numeric" />
              <TextInput {...field('lookups_per_second', t.lookups)} dir="ltr" inputMode="numeric" />
              <TextInput {...field('reports_per_second', t.reports)} dir="ltr" inputMode="numeric" />
            </FieldRow>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {t.termsFixed(DEFAULTS.writes_per_second, DEFAULTS.lookups_per_second, DEFAULTS.reports_per_second)}
          </Text>
        )}
        <Problem error={create.error} fields={Object.keys(stated)} inDoubt={isInDoubt && !create.isPending && t.createInDoubt} />
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            {t.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
