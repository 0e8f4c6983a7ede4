import type { ReactNode } from 'react';
import { formatDays } from '../format/time.ts';
import { useLanguage } from '../texts/language.tsx';
import { TwoLines } from './two-lines.tsx';

interface PeriodProps {
  /** The period that the statement names. */
  readonly label: string;
  readonly from: string;
  /** Itself not part of it. */
  readonly until: string;
  /** The time zone of the partner. */
  readonly zone: string;
  /** What stands beside the label. */
  readonly children?: ReactNode;
}

/** The period of a settlement with its days: `2026-11-2` is the second settlement of a month and no day of it. */
export function Period({ label, from, until, zone, children }: PeriodProps) {
  const { language } = useLanguage();
  return (
    <TwoLines
      first={
        <>
          <PeriodLabel label={label} /> {children}
        </>
      }
      second={<span className="figure">{formatDays(from, until, { language, zone })}</span>}
    />
  );
}

export function PeriodLabel({ label }: { readonly label: string }) {
  return (
    <bdi dir="ltr" className="figure">
      {label}
    </bdi>
  );
}
