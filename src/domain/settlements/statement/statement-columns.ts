import { amountText } from '../../numbers/money.ts';
import { LINE_TYPES, type SettlementLine } from '../settlement-line.ts';

/** How a spreadsheet reads a column: numbers as numbers, texts as texts; times are not converted. */
export type ColumnKind = 'number' | 'text' | 'time';

/** One column of a statement: its name in the header row, how a line's cell is written, and the form that every cell has. */
export interface StatementColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly cell: (line: SettlementLine) => string;
  readonly form: RegExp;
}

const IDENTIFIER_OR_NONE = /^[A-Za-z0-9._:-]{0,128}$/;
const TIME_OR_NONE = /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)?$/;

/**
 * The columns of a statement, in order. A cell is empty only when it does not apply to the line.
 *
 * @see docs/spec/settlements.md#2-settlement, Statement, Columns.
 */
export const STATEMENT_COLUMNS: readonly StatementColumn[] = [
  { name: 'line_no', kind: 'number', cell: (line) => String(line.lineNo), form: /^[1-9]\d*$/ },
  text('line_type', (line) => line.lineType, new RegExp(`^(?:${LINE_TYPES.join('|')})$`)),
  text('transaction_id', (line) => line.transactionId),
  text('adjustment_id', (line) => line.adjustmentId),
  text('partner_event_id', (line) => line.partnerEventId),
  text('partner_order_ref', (line) => line.partnerOrderRef),
  { name: 'points', kind: 'number', cell: (line) => String(line.points), form: /^(?:0|-?[1-9]\d*)$/ },
  {
    name: 'amount',
    kind: 'number',
    cell: (line) => (line.amount === null ? '' : amountText(line.amount)),
    form: /^(?:|0|-?[1-9]\d*|-?(?:0|[1-9]\d*)\.\d{0,11}[1-9])$/,
  },
  text('currency', (line) => line.currency, /^(?:[A-Z]{3})?$/),
  time('confirmed_at_utc', (line) => line.confirmedAt),
  time('posted_at_utc', (line) => line.postedAt),
  text('contribution_rule_version', (line) => line.contributionRuleVersion),
  text('point_conversion_version', (line) => line.pointConversionVersion),
  text('tree_cost_version', (line) => line.treeCostVersion),
  text('calculation_id', (line) => line.calculationId),
  text('association_status', (line) => line.associationStatus, /^(?:associated|rejected|not_requested)?$/),
  text('reason_code', (line) => line.reasonCode),
  text('original_settlement_id', (line) => line.originalSettlementId),
];

/** The header row's cells. */
export const STATEMENT_HEADER: readonly string[] = STATEMENT_COLUMNS.map(({ name }) => name);

/** The columns that a line of each type fills, besides its number, type and points. */
export const REQUIRED_COLUMNS: Readonly<Record<SettlementLine['lineType'], readonly string[]>> = {
  contribution: [
    'transaction_id',
    'partner_event_id',
    'partner_order_ref',
    'confirmed_at_utc',
    'contribution_rule_version',
    'point_conversion_version',
    'tree_cost_version',
    'association_status',
  ],
  adjustment: [
    'transaction_id',
    'adjustment_id',
    'partner_event_id',
    'partner_order_ref',
    'posted_at_utc',
    'contribution_rule_version',
    'point_conversion_version',
    'tree_cost_version',
    'reason_code',
  ],
  carried_forward: ['original_settlement_id'],
};

function text(name: string, value: (line: SettlementLine) => string | null, form = IDENTIFIER_OR_NONE): StatementColumn {
  return { name, kind: 'text', cell: (line) => value(line) ?? '', form };
}

function time(name: string, value: (line: SettlementLine) => Date | null): StatementColumn {
  return { name, kind: 'time', cell: (line) => value(line)?.toISOString() ?? '', form: TIME_OR_NONE };
}
