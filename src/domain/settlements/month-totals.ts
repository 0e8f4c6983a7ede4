import { payableOf } from '../numbers/money.ts';
import { pointFigures } from './payable-and-carried.ts';
import type { AcknowledgementStatus } from './settlement.ts';
import { currencyOfAmounts, exactAmount, type SettlementSums } from './settlement-totals.ts';

/** What a closed settlement comes to, and how its partner answered. */
export interface SettledSums extends SettlementSums {
  readonly currency: string | null;
  readonly acknowledgement: AcknowledgementStatus;
}

/** What closed settlements come to that have their amounts in one currency, or none. */
export interface CurrencyTotals {
  /** `null` for those without an amount. */
  readonly currency: string | null;
  settlementCount: number;
  contributionCount: bigint;
  netPoints: bigint;
  payablePoints: bigint;
  /** 0 or negative. */
  carriedOutPoints: bigint;
  /** In 10^-12 of the currency's unit: the sum of what each settlement is billed. `null` for those without an amount. */
  payableAmount: bigint | null;
}

/** The closed settlements of a calendar month. */
export interface MonthTotals {
  readonly closedCount: number;
  readonly answers: Readonly<Record<AcknowledgementStatus, number>>;
  /** By currency, those without an amount last. */
  readonly totals: readonly CurrencyTotals[];
}

/** Adds up settlements one at a time, in memory that grows only with the number of currencies. */
export interface MonthCounter {
  add(settlement: SettledSums): void;
  totals(): MonthTotals;
}

export function countMonth(): MonthCounter {
  const answers = { pending: 0, accepted: 0, disputed: 0 };
  const totals = new Map<string | null, CurrencyTotals>();
  return {
    add(settlement) {
      answers[settlement.acknowledgement]++;
      addToCurrency(totals, settlement);
    },
    totals: () => ({
      closedCount: answers.pending + answers.accepted + answers.disputed,
      answers,
      totals: [...totals.values()].sort(byCurrency),
    }),
  };
}

function addToCurrency(totals: Map<string | null, CurrencyTotals>, settlement: SettledSums): void {
  const exact = exactAmount(settlement);
  const currency = currencyOfAmounts(settlement, settlement.currency);
  const total = totals.get(currency) ?? noneOf(currency);
  totals.set(currency, total);
  const points = pointFigures(settlement);
  total.settlementCount++;
  total.contributionCount += settlement.contributionCount;
  total.netPoints += points.net;
  total.payablePoints += points.payable;
  total.carriedOutPoints += points.carriedOut;
  if (currency !== null && exact !== null) total.payableAmount = (total.payableAmount ?? 0n) + payableOf(exact, currency);
}

function noneOf(currency: string | null): CurrencyTotals {
  const none = { settlementCount: 0, contributionCount: 0n, netPoints: 0n, payablePoints: 0n, carriedOutPoints: 0n };
  return { currency, ...none, payableAmount: null };
}

function byCurrency({ currency: one }: CurrencyTotals, { currency: other }: CurrencyTotals): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : 1;
}
