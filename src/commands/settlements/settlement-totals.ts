import type { CurrencyTotals } from '../../domain/settlements/month-totals.ts';
import { type MonthState, readMonthTotals } from '../../operations/settlements/read-month-totals.ts';
import { monthTotalsToWire, payableText } from '../../wire/month-totals-to-wire.ts';
import { formatTime, printFields, printJson, printTable, printText, type Row } from '../terminal/output.ts';
import type { OperatorContext } from '../terminal/with-operator.ts';

/** What the closed settlements of a month come to, over all partners. */
export async function printMonthTotals(
  { database }: OperatorContext,
  { month, json }: { readonly month: string; readonly json?: boolean },
): Promise<void> {
  const found = await readMonthTotals(database, month);
  if (json) return void printJson(monthTotalsToWire(month, found));
  printFields(countsOf(month, found));
  printText('\n');
  printTable(found.totals.map(toRow), `No settlement of ${month} is closed.`);
}

function countsOf(month: string, { asOf, openCount, closedCount, answers }: MonthState): Row {
  return {
    month,
    'as of': formatTime(asOf),
    open: String(openCount),
    closed: String(closedCount),
    accepted: String(answers.accepted),
    disputed: String(answers.disputed),
    'not answered': String(answers.pending),
  };
}

function toRow({ currency, payableAmount, ...total }: CurrencyTotals): Row {
  return {
    currency: currency ?? '-',
    settlements: String(total.settlementCount),
    contributions: String(total.contributionCount),
    'net points': String(total.netPoints),
    'payable points': String(total.payablePoints),
    'payable amount': payableText(currency, payableAmount) ?? '-',
  };
}
