import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Fragment, type ReactNode, useId, useState } from 'react';
import { useFilters } from '../app/use-filters.ts';
import { asMeant } from '../format/as-meant.ts';
import { beginningOf } from '../format/beginning-of.ts';
import { monthOf } from '../format/period.ts';
import { startOfDay } from '../format/time.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { Icon } from './icon.tsx';

interface FiltersProps {
  /** The members of the address that the filters set. */
  readonly names?: readonly string[];
  readonly children: ReactNode;
}

export function Filters({ names = [], children }: FiltersProps) {
  const { clearFilters, filters: title } = useTexts(COMMON);
  const fieldsId = useId();
  const [isOpen, setOpen] = useState(false);
  const { filters, setFilters } = useFilters(names);
  const count = names.filter((name) => filters[name]).length;
  const [clearings, setClearings] = useState(0);
  const clear = () => {
    setFilters(Object.fromEntries(names.map((name) => [name, undefined])));
    setClearings(clearings + 1);
  };
  return (
    <search>
      {names.length > 1 && (
        <Button
          variant="default"
          hiddenFrom="sm"
          leftSection={<Icon name="list" size={16} />}
          aria-expanded={isOpen}
          aria-controls={fieldsId}
          onClick={() => setOpen(!isOpen)}
        >
          {title}
          {count > 0 && ` (${count})`}
        </Button>
      )}
      <Group id={fieldsId} gap="sm" align="flex-end" className="filters" data-closed={(names.length > 1 && !isOpen) || undefined}>
        {/* Mounted anew when they are cleared: what was typed and is not sent yet goes too. */}
        <Fragment key={clearings}>{children}</Fragment>
        {count > 0 && (
          <Button variant="subtle" onClick={clear}>
            {clearFilters}
          </Button>
        )}
      </Group>
    </search>
  );
}

/** What is chosen stays in sight on a narrow screen while the others are behind the button. */
export const chosenIf = (isChosen: boolean) => (isChosen ? { wrapperProps: { 'data-chosen': true } } : {});

interface TextFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly dir?: 'ltr' | 'auto';
  readonly isSearch?: boolean;
  /** Whether what is meant may be asked for; nothing is sent before. Absent where it always may. */
  readonly isWhole?: (text: string) => boolean;
  readonly placeholder?: string;
  /** On a wide screen, in pixels. */
  readonly width?: number;
}

const TYPED_MS = 300;
const CHARACTERS_MAX = 128;
/** A pasted id may stand between marks and spaces. */
const PASTED_MAX = CHARACTERS_MAX + 72;

/**
 * What was typed, when the hands rest. The address follows what was typed, later; it changes what stands in the field only where it
 * becomes what was not sent from here.
 */
export function TextFilter({
  label,
  value = '',
  onChange,
  dir = 'auto',
  isSearch = false,
  isWhole = () => true,
  placeholder,
  width = 230,
}: TextFilterProps) {
  // What stands in the field.
  const [typed, setTyped] = useState(value);
  // What the address had when this was drawn last.
  const [lastValue, setLastValue] = useState(value);
  // What was sent from here and is not in the address yet, the oldest first.
  const [awaited, setAwaited] = useState<readonly string[]>([]);
  const send = useDebouncedCallback((text: string) => {
    const meant = beginningOf(asMeant(text), CHARACTERS_MAX);
    if (meant !== '' && !isWhole(meant)) return;
    if (meant !== value) setAwaited((before) => [...before, meant]);
    onChange(meant || undefined);
  }, TYPED_MS);
  if (lastValue !== value) {
    const arrived = awaited.indexOf(value);
    setLastValue(value);
    setAwaited(arrived === -1 ? [] : awaited.slice(arrived + 1));
    // Another address, by Back or by the button that clears. What was sent here may arrive after the next letter, and is of before it.
    if (arrived === -1 && asMeant(typed) !== value) setTyped(value);
  }
  return (
    <TextInput
      label={label}
      // A magnifier stays where the language begins.
      {...(isSearch ? { classNames: { input: 'by-its-text' } } : { dir })}
      {...chosenIf(value !== '')}
      maxLength={PASTED_MAX}
      {...(placeholder && { placeholder })}
      {...(isSearch && { type: 'search' })}
      {...(isSearch && { leftSection: <Icon name="search" size={16} /> })}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        send(event.currentTarget.value);
      }}
      w={{ base: '100%', sm: width }}
    />
  );
}

interface DayFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A day, once its year is typed to the end. One of another century filters by nothing, and says so. */
export function DayFilter({ label, value = '', onChange }: DayFilterProps) {
  const { noSuchYear } = useTexts(COMMON);
  const [typed, setTyped] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  // Another address, by Back or by the button that clears.
  if (lastValue !== value) {
    setLastValue(value);
    if (value !== '' || !isOtherYear(typed)) setTyped(value);
  }
  return (
    <TextInput
      type="date"
      max="9999-12-31"
      label={label}
      dir="ltr"
      {...chosenIf(value !== '')}
      value={typed}
      error={isOtherYear(typed) && noSuchYear}
      onChange={(event) => {
        const day = event.currentTarget.value;
        setTyped(day);
        if (startOfDay(day, 'UTC') !== undefined) onChange(day);
        else if (day === '' || isOtherYear(day)) onChange(undefined);
      }}
      w={{ base: '100%', sm: 165 }}
    />
  );
}

/** Typed to the end: the year in the field begins with zeros until then. */
function isOtherYear(day: string): boolean {
  return /^[1-9]/.test(day) && startOfDay(day, 'UTC') === undefined;
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
      {...chosenIf(value !== undefined)}
      data={Object.entries<string>(options).map(([name, text]) => ({ value: name, label: text }))}
      value={value ?? null}
      onChange={(chosen) => onChange((chosen as Value | null) ?? undefined)}
      w={{ base: '100%', sm: widthFor(Object.values(options)) }}
    />
  );
}

/** In pixels, so that the longest of the texts can be read beside the button that clears it. */
function widthFor(texts: readonly string[]): number {
  const longest = Math.max(0, ...texts.map(({ length }) => length));
  return Math.min(Math.max(180, Math.ceil(longest * 7.5) + 68), 340);
}

type SentFilter = Pick<TextFilterProps, 'value' | 'onChange'>;

/** A code of as many capital letters as the example; nothing is asked for before it is whole. */
export function CodeFilter({
  label,
  example,
  value,
  onChange,
}: SentFilter & { readonly label: string; readonly example: string }) {
  return (
    <TextFilter
      label={label}
      dir="ltr"
      placeholder={example}
      isWhole={(text) => text.length === example.length && /^[a-z]+$/i.test(text)}
      value={value}
      onChange={(text) => onChange(text?.toUpperCase())}
      width={110}
    />
  );
}

/** No correlation id is shorter. */
const CORRELATION_ID_MIN = 8;

/** Nothing is asked for before the id is as long as one is. */
export function CorrelationFilter({ value, onChange }: SentFilter) {
  const { correlationId } = useTexts(COMMON);
  const isWhole = ({ length }: string) => length >= CORRELATION_ID_MIN;
  return <TextFilter label={correlationId} dir="ltr" isWhole={isWhole} value={value} onChange={onChange} />;
}

export function CurrencyFilter(filter: SentFilter) {
  const { currency } = useTexts(COMMON);
  return <CodeFilter label={currency} example="SAR" {...filter} />;
}

/** A month with every period in it, or one period as a statement names it. Only a whole one is sent. */
export function PeriodFilter({ value, onChange }: SentFilter) {
  const { period } = useTexts(COMMON);
  const isWhole = (text: string) => monthOf(text) !== undefined;
  return (
    <TextFilter label={period} dir="ltr" placeholder="2026-11" isWhole={isWhole} value={value} onChange={onChange} width={140} />
  );
}

/** Filters a list by a settlement. Only a whole id is sent. */
export function SettlementFilter({ value, onChange }: SentFilter) {
  const { settlementId } = useTexts(COMMON);
  const isWhole = (text: string) => /^stl_\w{26}$/.test(text);
  return <TextFilter label={settlementId} dir="ltr" placeholder="stl_…" isWhole={isWhole} value={value} onChange={onChange} />;
}
