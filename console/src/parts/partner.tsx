/** Partners by their names: beside an id, and as a filter. */
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { answerOf, client } from '../api/client.ts';
import { present } from '../api/present.ts';
import { asMeant } from '../format/as-meant.ts';
import type { TimeStyle } from '../format/time.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { AddressLink } from './address-link.tsx';
import { chosenIf } from './filters.tsx';
import { Foreign, Time } from './values.tsx';

/** Names change seldom. */
const KEPT_MS = 300_000;

export function usePartner(partnerId: string | undefined) {
  return useQuery({
    queryKey: ['partner', partnerId],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}', { params: { path: { partner_id: partnerId ?? '' } } })),
    enabled: partnerId !== undefined,
    staleTime: KEPT_MS,
    refetchInterval: false,
  });
}

export function PartnerLink({ id, name }: { readonly id: string; readonly name?: string | undefined }) {
  const partner = usePartner(name === undefined ? id : undefined);
  return (
    <AddressLink to={`/partners/${id}`} className="row-anchor">
      <Foreign text={name ?? partner.data?.name ?? id} />
    </AddressLink>
  );
}

interface PartnerTimeProps {
  readonly partnerId: string;
  readonly at: string | null | undefined;
  readonly style?: TimeStyle;
}

/** A time of a partner's record, in the partner's zone: the same on every page. */
export function PartnerTime({ partnerId, at, style = 'minute' }: PartnerTimeProps) {
  const zone = usePartner(partnerId).data?.time_zone;
  return <Time at={at} zone={zone} style={style} />;
}

interface PartnerFilterProps {
  readonly value: string | undefined;
  readonly onChange: (partnerId: string | undefined) => void;
  readonly isRequired?: boolean;
  /** Among the fields of a form. */
  readonly isWide?: boolean;
}

export function PartnerFilter({ value, onChange, isRequired = false, isWide = false }: PartnerFilterProps) {
  const t = useTexts(COMMON);
  const [typed, setTyped] = useState('');
  const [name] = useDebouncedValue(asMeant(typed), 200);
  const chosen = usePartner(value);
  const isChosenName = name === chosen.data?.name;
  const partners = useQuery({
    queryKey: ['partners', 'filter', isChosenName ? '' : name],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners', { params: { query: present({ name: isChosenName ? '' : name }) } })),
    staleTime: KEPT_MS,
    refetchInterval: false,
  });
  const options = new Map(partners.data?.partners.map((partner) => [partner.partner_id, partner.name]));
  if (chosen.data) options.set(chosen.data.partner_id, chosen.data.name);
  return (
    <Select
      label={t.partner}
      placeholder={isRequired ? t.choosePartner : t.all}
      searchable
      clearable={!isRequired}
      {...chosenIf(value !== undefined)}
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      filter={({ options: all }) => all}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      onSearchChange={setTyped}
      nothingFoundMessage={t.none}
      error={chosen.error instanceof ApiError && chosen.error.status === 404 ? t.noSuchPartner : undefined}
      w={{ base: '100%', ...(!isWide && { sm: 300 }) }}
    />
  );
}
