import { Select } from '@mantine/core';
import { useState } from 'react';
import { isTypedOf } from '../../format/arabic-spelling.ts';
import { asMeant } from '../../format/as-meant.ts';
import { chosenIf } from '../../parts/filters.tsx';
import { usePeople } from '../../parts/person.tsx';
import { ACCOUNT_NAME } from '../../texts/code-texts.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { AUDIT } from './audit-texts.ts';

/** The id of a key, which a partner acts by. */
const KEY_ID = /^[0-9A-Za-z]{12}$/;

interface MadeByFilterProps {
  readonly value: string | undefined;
  readonly onChange: (operatorId: string | undefined) => void;
}

/** Who makes entries of the audit: people by their names, the accounts of the service, and an API key by its id. */
export function MadeByFilter({ value, onChange }: MadeByFilterProps) {
  const t = useTexts(AUDIT);
  const { all, none } = useTexts(COMMON);
  const [search, setSearch] = useState('');
  const names = new Map([...usePeople(), ...Object.entries(useTexts(ACCOUNT_NAME))]);
  const typed = asMeant(search);
  const isName = [...names.values()].some((name) => isTypedOf(name, typed));
  // A key has no name here: its id is taken as it is typed or stands in the address.
  for (const id of [value, KEY_ID.test(typed) && !isName ? typed : undefined])
    if (id !== undefined && !names.has(id)) names.set(id, KEY_ID.test(id) ? `${t.apiKey} · ${id}` : id);
  const data = [...names].map(([id, name]) => ({ value: id, label: name }));
  return (
    <Select
      label={t.by}
      placeholder={all}
      searchable
      clearable
      {...chosenIf(value !== undefined)}
      data={data}
      filter={({ search: wanted }) => data.filter(({ label }) => isTypedOf(label, asMeant(wanted)))}
      onSearchChange={setSearch}
      nothingFoundMessage={none}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      w={{ base: '100%', sm: 300 }}
    />
  );
}
