import { Group, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';

export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <Group gap="sm" align="flex-end" role="search">
      {children}
    </Group>
  );
}

interface ChoiceFilterProps<Value extends string> {
  readonly label: string;
  readonly options: Readonly<Record<Value, string>>;
  readonly value: string | undefined;
  readonly onChange: (value: Value | undefined) => void;
}

/** One of few, or all. */
export function ChoiceFilter<Value extends string>({ label, options, value, onChange }: ChoiceFilterProps<Value>) {
  const { all } = useTexts(COMMON);
  return (
    <Select
      label={label}
      placeholder={all}
      clearable
      data={Object.entries<string>(options).map(([name, text]) => ({ value: name, label: text }))}
      value={value ?? null}
      onChange={(chosen) => onChange((chosen as Value | null) ?? undefined)}
      w={{ base: '100%', sm: 230 }}
    />
  );
}
