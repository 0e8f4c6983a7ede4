/** Partners by their names: beside an id, and as a filter. */
import { Select } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { answerOf, client } from '../api/client.ts';
import type { components } from '../api/operator-types.ts';
import { present } from '../api/present.ts';
import { asMeant } from '../format/as-meant.ts';
import type { TimeStyle } from '../format/time.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { AddressLink } from './address-link.tsx';
import { chosenIf } from './filters.tsx';
import { TwoLines } from './two-lines.tsx';
import { Foreign, Time } from './values.tsx';

/** Names change seldom. */
const KEPT_MS = 300_000;

/** @param isLive Whether it is read again every few seconds, as where its state is changed. */
export function usePartner(partnerId: string | undefined, { isLive = false } = {}) {
  return useQuery({
    queryKey: ['partner', partnerId],
    queryFn: () => readPartner(partnerId ?? ''),
    enabled: partnerId !== undefined,
    ...(!isLive && { staleTime: KEPT_MS, refetchInterval: false }),
  });
}

export function readPartner(partnerId: string) {
  return answerOf(client.GET('/operator/v1/partners/{partner_id}', { params: { path: { partner_id: partnerId } } }));
}

export function PartnerLink({ id, name }: { readonly id: string; readonly name?: string | undefined }) {
  const partner = usePartner(name === undefined ? id : undefined);
  return (
    <AddressLink to={`/partners/${id}`} className="row-anchor">
      <Foreign text={name ?? partner.data?.name ?? id} />
    </AddressLink>
  );
}

/** Where something final is decided about a partner: another one may have the same name. */
export function PartnerWithId({ id }: { readonly id: string }) {
  return <TwoLines first={<PartnerLink id={id} />} second={<bdi dir="ltr">{id}</bdi>} />;
}

interface PartnerTimeProps {
  readonly partnerId: string | undefined;
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
  readonly disabled?: boolean;
  /** What is wrong with it. */
  readonly error?: ReactNode;
}

/** Enter chooses the only partner whose name fits what is typed. */
export function PartnerFilter({
  value,
  onChange,
  isRequired = false,
  isWide = false,
  disabled = false,
  error,
}: PartnerFilterProps) {
  const t = useTexts(COMMON);
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(asMeant(typed), 200);
  const [isOpen, { open, close }] = useDisclosure();
  const { chosen, chosenLabel, same, isUnknown } = useChosen(value);
  const isChosenName = typed === chosenLabel;
  const [entered, setEntered] = useOnlyMatch((id) => {
    close();
    onChange(id);
  });
  const name = isChosenName || settled === chosenLabel ? '' : settled;
  const { data } = usePartnersNamed(entered ?? name);
  const options = new Map<string, Named>(data?.partners.map((partner) => [partner.partner_id, partner]));
  if (chosen && !options.has(chosen.partner_id)) options.set(chosen.partner_id, chosen);
  const all = [...options.values(), ...same];
  return (
    <Select
      label={t.partner}
      placeholder={isRequired ? t.choosePartner : t.all}
      searchable
      clearable={!isRequired}
      disabled={disabled}
      {...(isRequired && { withAsterisk: true, 'aria-required': true, openOnFocus: false })}
      {...chosenIf(value !== undefined)}
      data={[...options.values()].map((each) => ({ value: each.partner_id, label: labelOf(each, all) }))}
      filter={({ options: shown }) => shown}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      onSearchChange={(text) => {
        setTyped(text);
        if (text !== '') setEntered(undefined);
      }}
      dropdownOpened={isOpen}
      onDropdownOpen={open}
      onDropdownClose={close}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || typed.trim() === '' || isChosenName) return;
        event.preventDefault();
        if (!event.currentTarget.getAttribute('aria-activedescendant')) setEntered(asMeant(typed));
      }}
      nothingFoundMessage={t.none}
      error={isUnknown ? t.noSuchPartner : error}
      w={{ base: '100%', ...(!isWide && { sm: 300 }) }}
    />
  );
}

type Named = Pick<components['schemas']['Partner'], 'partner_id' | 'name'>;

/** The partner of this id, and those of the same name. */
function useChosen(partnerId: string | undefined) {
  const { data, error } = usePartner(partnerId);
  const same = usePartnersNamed(data?.name).data?.partners ?? [];
  // Until its name is read, by its id: the field would go on with the name of the partner before.
  const byId = partnerId === undefined ? undefined : { partner_id: partnerId, name: partnerId };
  const chosen: Named | undefined = data ?? byId;
  // The service finds a partner by its name too; a list is read by the id alone.
  const isByName = data !== undefined && data.partner_id !== partnerId;
  const isUnknown = isByName || (error instanceof ApiError && error.status === 404);
  return { chosen, chosenLabel: chosen && labelOf(chosen, same), same, isUnknown };
}

/** The name of a choice, with its id where another partner has the same name. */
function labelOf({ partner_id, name }: Named, known: readonly Named[]): string {
  const isShared = known.some((other) => other.name === name && other.partner_id !== partner_id);
  return isShared ? `${name} · ${partner_id}` : name;
}

function usePartnersNamed(name: string | undefined) {
  return useQuery({
    queryKey: ['partners', 'filter', name],
    queryFn: () => answerOf(client.GET('/operator/v1/partners', { params: { query: present({ name }) } })),
    staleTime: KEPT_MS,
    refetchInterval: false,
    enabled: name !== undefined,
  });
}

/** What was typed when Enter was pressed, until the partners of that name are read: one alone is chosen. */
function useOnlyMatch(choose: (partnerId: string) => void) {
  const [entered, setEntered] = useState<string>();
  const { data } = usePartnersNamed(entered);
  useEffect(() => {
    if (entered === undefined || !data) return;
    setEntered(undefined);
    const [first, ...others] = data.partners;
    if (first && others.length === 0 && !data.has_more) choose(first.partner_id);
  }, [entered, data, choose]);
  return [entered, setEntered] as const;
}
