/** How single values are shown, everywhere: points, money, times, ids, texts of strangers. */
import { CopyButton, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useServiceNow } from '../api/service-clock.ts';
import { beginningOf } from '../format/beginning-of.ts';
import { formatDecimal, formatMoney, formatWhole, roundDecimal } from '../format/points.ts';
import { shortId } from '../format/short-id.ts';
import { cityOf, formatRelative, formatTime, formatUtc, ownZone, type TimeStyle } from '../format/time.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { Breaking } from './codes/breaking.tsx';
import { hint } from './hint.tsx';
import { Icon } from './icon.tsx';

export function Points({ value }: { readonly value: string | null | undefined }) {
  if (value === null || value === undefined) return <Absent />;
  return <Figure text={formatWhole(value)} />;
}

export function Money({
  amount,
  currency,
}: {
  readonly amount: string | null | undefined;
  readonly currency: string | null | undefined;
}) {
  if (!amount) return <Absent />;
  return <Figure text={formatMoney(amount, currency)} />;
}

/** As long as a narrow screen has room for beside a label. */
const CHARACTERS_IN_LINE = 16;

/** A figure stands in one line; a longer one goes on after a comma where there is no room for it, but in the lists of a wide screen. */
function Figure({ text }: { readonly text: string }) {
  if (text.length <= CHARACTERS_IN_LINE)
    return (
      <bdi dir="ltr" className="figure">
        {text}
      </bdi>
    );
  return (
    <bdi dir="ltr" className="figure long-figure">
      <Breaking text={text} at={/(?<=,)/} />
    </bdi>
  );
}

interface TotalProps {
  /** Exact. */
  readonly amount: string | null | undefined;
  readonly currency: string | null | undefined;
  /** The decimals of the currency. */
  readonly minorUnits: number | null;
}

/** A sum as it would be billed, rounded to the decimals of its currency, with the exact one on hover where that has more. */
export function Total({ amount, currency, minorUnits }: TotalProps) {
  if (!amount || minorUnits === null) return <Money amount={amount} currency={currency} />;
  const exact = amount.replace(/(\.\d*?)0+$/, '$1');
  const isRounded = (exact.split('.')[1]?.length ?? 0) > minorUnits;
  return (
    <span {...(isRounded && hint(`${formatDecimal(exact)} ${currency}`))}>
      <Money amount={roundDecimal(amount, minorUnits)} currency={currency} />
    </span>
  );
}

interface TimeProps {
  readonly at: string | null | undefined;
  /** The time zone of the partner, where the page is about one; elsewhere that of the reader. */
  readonly zone?: string | undefined;
  readonly style?: TimeStyle;
}

export function Time({ at, zone = ownZone(), style = 'minute' }: TimeProps) {
  const { language } = useLanguage();
  if (!at) return <Absent />;
  return (
    <time dateTime={at} className="figure" {...hint(`${formatUtc(at)} · ${zone}`)}>
      {formatTime(at, { language, zone, style })}
      {zone !== ownZone() && <bdi className="zone">{cityOf(zone, language)}</bdi>}
    </time>
  );
}

/** `in 3 hours`, with the time itself on hover. */
export function Age({ at }: { readonly at: string | null | undefined }) {
  const { language } = useLanguage();
  const now = useServiceNow();
  if (!at) return <Absent />;
  return (
    <time dateTime={at} className="figure age" {...hint(formatUtc(at))}>
      {formatRelative(at, now, language)}
    </time>
  );
}

/** An id in short, copied whole by a click. */
export function Id({ id, isShort = false }: { readonly id: string | null | undefined; readonly isShort?: boolean }) {
  const t = useTexts(COMMON);
  if (!id) return <Absent />;
  const shown = isShort ? shortId(id) : id;
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <UnstyledButton
          className="id-button"
          {...hint(copied ? t.copied : t.copy)}
          onClick={(event) => {
            event.preventDefault();
            event.stopPropagation();
            copy();
          }}
        >
          <VisuallyHidden>{t.copy}</VisuallyHidden>
          <span className="id foreign-line">{shown}</span>
          <Icon name={copied ? 'check' : 'copy'} size={13} />
        </UnstyledButton>
      )}
    </CopyButton>
  );
}

/** A text that a partner or a colleague wrote: in its own direction, in one line, whole on hover. */
export function Foreign({ text, isWhole = false }: { readonly text: string | null | undefined; readonly isWhole?: boolean }) {
  if (text === null || text === undefined || text === '') return <Absent />;
  if (isWhole) return <bdi className="foreign">{text}</bdi>;
  return (
    <bdi className="foreign-line" title={text.length > 24 ? beginningOf(text, 500) : undefined}>
      {text.length > 200 ? `${beginningOf(text, 200)}…` : text}
    </bdi>
  );
}

export function Absent() {
  return (
    <Text span inherit c="dimmed">
      –
    </Text>
  );
}
