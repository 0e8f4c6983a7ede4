import { Select } from '@mantine/core';
import { isTypedOf } from '../../format/arabic-spelling.ts';
import { asMeant } from '../../format/as-meant.ts';
import { CodeLabelInFull } from '../../parts/code-label.tsx';
import { chosenIf } from '../../parts/filters.tsx';
import { ACTION } from '../../texts/action-texts.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { AUDIT } from './audit-texts.ts';

interface ActionFilterProps {
  readonly value: string | undefined;
  readonly onChange: (action: string | undefined) => void;
}

/** The actions that the service records, found by their words or by their code. */
export function ActionFilter({ value, onChange }: ActionFilterProps) {
  const t = useTexts(AUDIT);
  const { all, none } = useTexts(COMMON);
  const actions: Readonly<Record<string, string>> = useTexts(ACTION);
  const { compare } = new Intl.Collator(useLanguage().language);
  const data = Object.entries(actions)
    .map(([code, words]) => ({ value: code, label: words }))
    .toSorted((one, other) => compare(one.label, other.label));
  // Of a later release, in an address.
  if (value !== undefined && !Object.hasOwn(actions, value)) data.push({ value, label: value });
  return (
    <Select
      label={t.action}
      placeholder={all}
      searchable
      clearable
      {...chosenIf(value !== undefined)}
      data={data}
      filter={({ search }) => {
        const typed = asMeant(search);
        return data.filter(({ value: code, label }) => isTypedOf(`${label}\n${code}`, typed));
      }}
      renderOption={({ option }) => <CodeLabelInFull code={option.value} words={actions} />}
      nothingFoundMessage={none}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      w={{ base: '100%', sm: 300 }}
    />
  );
}
