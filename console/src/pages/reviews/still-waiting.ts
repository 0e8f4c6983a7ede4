import { useEffect } from 'react';
import type { components } from '../../api/operator-types.ts';
import type { Sort } from '../../app/use-sort.ts';
import type { Chosen, ChosenRows } from '../../parts/chosen/chosen.ts';

type Review = components['schemas']['Review'];

interface Reading {
  readonly listed: readonly Review[];
  readonly sort: Sort<'opened_at' | 'points'>;
  /** Whether the pages that were read are all. */
  readonly isWhole: boolean;
}

/** Takes back the ticks of reviews that are decided. Nothing is known of one that may stand on a page that is not read. */
export function useStillWaiting(chosen: Chosen<Review>, reading: Reading | undefined): void {
  useEffect(() => {
    if (!reading) return;
    const before = chosen.get();
    const waiting = stillWaiting(before, reading);
    if (waiting.size < before.size) chosen.set(waiting);
  });
}

/** Those that are listed, and those whose place in the order is not before the end of what was read. */
function stillWaiting(rows: ChosenRows<Review>, { listed, sort, isWhole }: Reading): ChosenRows<Review> {
  const ids = new Set(listed.map(idOf));
  const last = listed.at(-1);
  const isBeforeEnd = (review: Review) => {
    const difference = last ? placeOf(review, sort) - placeOf(last, sort) : 0n;
    return sort.startsWith('-') ? difference > 0n : difference < 0n;
  };
  return new Map([...rows].filter(([id, review]) => ids.has(id) || !(isWhole || isBeforeEnd(review))));
}

function idOf({ contribution }: Review): string {
  return contribution.transaction_id;
}

function placeOf({ contribution, opened_at }: Review, sort: Reading['sort']): bigint {
  return BigInt(sort.endsWith('points') ? contribution.points : Date.parse(opened_at));
}
