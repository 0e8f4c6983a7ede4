import { Command, Option } from 'commander';
import { RECONCILIATION_VERDICTS } from '../domain/reconciliation.ts';
import { reconciliationNotFound } from '../operations/reconcile-settlement.ts';
import { findReconciliation, type LineVerdict, listReconciliations, type Reconciliation } from '../store/reconciliation.ts';
import { listReconciliationLines } from '../store/reconciliation-line.ts';
import { reconciliationLineToWire, reconciliationToWire } from '../wire/reconciliation-to-wire.ts';
import { readCursor, readLimit } from './options.ts';
import { printFields, printTable, type Row, showTime } from './output.ts';
import { printExact } from './settlement.ts';
import { withStore } from './with-store.ts';

interface Target {
  readonly partner: string;
  readonly reconciliation: string;
  readonly json?: boolean;
}

interface LinesOptions extends Target {
  readonly verdict?: LineVerdict;
  readonly after: bigint;
  readonly limit: number;
}

export function reconciliationCommand(): Command {
  const reconciliation = new Command('reconciliation').description(
    "reconciliations: partners' own lists beside their settlements",
  );
  reconciliation
    .command('list')
    .description('reconciliations of a partner, the latest first')
    .requiredOption('--partner <id>', 'id of the partner')
    .option('--limit <n>', 'how many, 1 to 1000', readLimit, 50)
    .option('--json', 'one JSON array, for programs')
    .action(list);
  const one = (name: string, description: string) =>
    reconciliation
      .command(name)
      .description(description)
      .requiredOption('--partner <id>', 'id of the partner')
      .requiredOption('--reconciliation <id>', 'id of the reconciliation');
  one('show', 'how far one is, and its counts').option('--json', 'one JSON object, for programs').action(show);
  one('lines', 'its lines, all or those of one verdict')
    .addOption(new Option('--verdict <verdict>', 'only lines that are').choices([...RECONCILIATION_VERDICTS, 'malformed']))
    .addOption(new Option('--after <position>', 'only those that follow').argParser(readCursor).default(0n, '0'))
    .option('--limit <n>', 'how many, 1 to 1000', readLimit, 50)
    .option('--json', 'one JSON array, for programs')
    .action(lines);
  return reconciliation;
}

async function list({ partner, limit, json }: { partner: string; limit: number; json?: boolean }): Promise<void> {
  await withStore(async ({ pool }) => {
    const found = await listReconciliations(pool, partner, limit);
    if (json) return printExact(found.map(reconciliationToWire));
    printTable(found.map(toRow), 'The partner has sent no list yet.');
  });
}

async function show({ partner, reconciliation, json }: Target): Promise<void> {
  await withStore(async ({ pool }) => {
    const found = await findReconciliation(pool, partner, reconciliation);
    if (!found) throw reconciliationNotFound();
    if (json) return printExact(reconciliationToWire(found));
    const counts = Object.entries(reconciliationToWire(found).counts).map(([name, count]): [string, string] => [
      name,
      String(count),
    ]);
    printFields({ ...toRow(found), ...Object.fromEntries(counts), problem: found.problem ?? '-' });
  });
}

async function lines({ partner, reconciliation, verdict, after, limit, json }: LinesOptions): Promise<void> {
  await withStore(async ({ pool }) => {
    const page = { partnerId: partner, reconciliationId: reconciliation, verdict, after, limit };
    const found = await listReconciliationLines(pool, page);
    if (json) return printExact(found.map(reconciliationLineToWire));
    const rows = found.map(reconciliationLineToWire).map(
      (line): Row => ({
        position: String(line.position),
        line: String(line.line_no ?? '-'),
        verdict: line.verdict,
        event: line.partner_event_id ?? '-',
        order: line.partner_order_ref ?? line.recorded_order_ref ?? '-',
        points: String(line.points ?? '-'),
        recorded: String(line.recorded_points ?? '-'),
        contribution: line.transaction_id ?? '-',
      }),
    );
    printTable(rows, 'There is no such line.');
    const last = found.at(-1);
    if (last && found.length === limit) process.stdout.write(`\nMore of them: --after ${last.position}\n`);
  });
}

function toRow(one: Reconciliation): Row {
  return {
    reconciliation: one.reconciliationId,
    settlement: one.settlementId,
    status: one.status,
    lines: String(one.listedLines),
    matched: String(one.counts.matched ?? 0),
    created: showTime(one.createdAt),
    ended: showTime(one.endedAt),
  };
}
