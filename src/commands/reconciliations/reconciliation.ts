import { Option } from 'commander';
import { adviseMissing, RECONCILIATION_VERDICTS } from '../../domain/reconciliations/line-verdict.ts';
import { reconciliationNotFound } from '../../operations/reconciliations/reconcile-settlement.ts';
import { RECONCILIATION_DAYS } from '../../schedule/jobs/remove-reconciliations.ts';
import {
  findReconciliation,
  type LineVerdict,
  listReconciliations,
  type Reconciliation,
} from '../../store/reconciliations/reconciliation.ts';
import { listReconciliationLines, type ReconciliationLine } from '../../store/reconciliations/reconciliation-line.ts';
import { reconciliationLineToWire, reconciliationToWire } from '../../wire/reconciliation-to-wire.ts';
import { formatTime, printFields, printJson, printNotice, printTable, printText, type Row } from '../terminal/output.ts';
import { type PageOptions, printMore, printPage, readAfter, readAfterId } from '../terminal/page.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface Target {
  readonly partner: string;
  readonly reconciliation: string;
  readonly json?: boolean;
}

interface LinesOptions extends Target, PageOptions {
  readonly verdict?: LineVerdict;
}

export function reconciliationCommand(): ProgramCommand {
  const reconciliation = new ProgramCommand('reconciliation').description(
    "reconciliations: comparisons of partners' lists with their settlements",
  );
  reconciliation
    .command('list')
    .description('reconciliations of a partner, the latest first')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .paged()
    .action(withOperator('viewer', list));
  const one = (name: string, description: string) =>
    reconciliation
      .command(name)
      .description(description)
      .requiredOption('--partner <partner>', 'id or name of the partner')
      .requiredOption('--reconciliation <id>', 'id of the reconciliation');
  one('show', 'one reconciliation with its progress and counts')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', show));
  one('lines', 'lines of a reconciliation, all or of one verdict')
    .addOption(
      new Option('--verdict <verdict>', 'only lines with this verdict').choices([...RECONCILIATION_VERDICTS, 'malformed']),
    )
    .paged()
    .action(withOperator('viewer', lines));
  return reconciliation;
}

async function list({ database: { pool } }: OperatorContext, options: PageOptions & { partner: string }): Promise<void> {
  const page = { beforeId: readAfterId(options, 'rec'), limit: options.limit + 1 };
  const found = await listReconciliations(pool, options.partner, page);
  const ifNone = 'The partner has sent no list yet.';
  printPage(found, options, {
    cursorOf: ({ reconciliationId }) => reconciliationId,
    toJson: reconciliationToWire,
    toRow,
    ifNone,
  });
}

async function show({ database: { pool } }: OperatorContext, { partner, reconciliation, json }: Target): Promise<void> {
  const found = await findReconciliation(pool, partner, reconciliation);
  if (!found) throw reconciliationNotFound();
  if (json) return printJson(reconciliationToWire(found));
  const { counts, matched_points } = reconciliationToWire(found);
  const shown = { ...counts, 'matched, gross points': matched_points.gross, 'matched, net points': matched_points.net };
  const texts = Object.entries(shown).map(([name, count]): [string, string] => [name, String(count)]);
  const list = found.isStatement ? "the service's own statement" : "the partner's own";
  printFields({
    ...toRow(found),
    ended: formatTime(found.endedAt),
    list,
    ...Object.fromEntries(texts),
    problem: found.problem ?? '-',
    'lines removed': formatTime(found.linesRemovedAt),
  });
}

async function lines(
  { database: { pool } }: OperatorContext,
  { partner, reconciliation, verdict, after, limit, json }: LinesOptions,
): Promise<void> {
  const of = await findReconciliation(pool, partner, reconciliation);
  if (!of) throw reconciliationNotFound();
  const position = BigInt(readAfter({ after }, /^\d{1,18}$/)?.[0] ?? 0);
  const page = { partnerId: partner, reconciliationId: reconciliation, verdict, after: position, limit: limit + 1 };
  const oneMore = await listReconciliationLines(pool, page);
  const found = oneMore.slice(0, limit);
  const cursor = { json, cursorOf: (line: ReconciliationLine) => String(line.position) };
  if (json) {
    if (of.linesRemovedAt) printNotice(linesRemoved(of.linesRemovedAt));
    printJson(found.map(reconciliationLineToWire));
    return printMore(oneMore.length > limit ? found.at(-1) : undefined, cursor);
  }
  const ifNone = of.linesRemovedAt ? linesRemoved(of.linesRemovedAt) : 'No line matches.';
  printTable(withoutEmptyColumns(found.map(lineToRow)), ifNone);
  if (found.some((line) => line.verdict === 'missing_in_service')) printText(`\n${MISSING_IN_SERVICE}\n`);
  printMore(oneMore.length > limit ? found.at(-1) : undefined, cursor);
}

const MISSING_IN_SERVICE = `missing_in_service: ${adviseMissing('contribution')[0]?.message}`;

function linesRemoved(at: Date): string {
  return `The lines were removed at ${formatTime(at)}, after ${RECONCILIATION_DAYS} days. The counts remain: \`reconciliation show\`.`;
}

function lineToRow(stored: ReconciliationLine): Row {
  const line = reconciliationLineToWire(stored);
  const isMalformed = line.verdict === 'malformed';
  return {
    position: String(line.position),
    line: String(line.line_no ?? '-'),
    verdict: line.verdict,
    type: line.line_type === 'contribution' ? '-' : (line.line_type ?? '-'),
    event: line.partner_event_id ?? '-',
    order: line.partner_order_ref ?? line.recorded_order_ref ?? '-',
    adjustment: line.adjustment_id ?? '-',
    points: String(line.points ?? '-'),
    recorded: String(line.recorded_points ?? '-'),
    net: String(line.recorded_net_points ?? '-'),
    matched: line.matched_points ?? '-',
    settlement: line.recorded_settlement_id ?? (line.verdict === 'other_settlement' ? 'none yet' : '-'),
    contribution: line.transaction_id ?? '-',
    reason: isMalformed ? line.details.map(({ message }) => message).join(' ') : '-',
  };
}

/** Each verdict fills its own columns. */
function withoutEmptyColumns(rows: readonly Row[]): Row[] {
  const isFilled = (name: string) => rows.some((row) => row[name] !== '-');
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => isFilled(name))));
}

function toRow(one: Reconciliation): Row {
  return {
    reconciliation: one.reconciliationId,
    settlement: one.settlementId,
    status: one.status,
    sender: one.uploadedBy ?? 'partner',
    lines: String(one.listedLines),
    matched: String(one.counts.matched ?? 0),
    created: formatTime(one.createdAt),
  };
}
