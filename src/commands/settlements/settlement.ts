import { INT64_MAX } from '../../domain/numbers/int64.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { invalidRequest } from '../../domain/service-error.ts';
import { amountFigures, pointFigures } from '../../domain/settlements/payable-and-carried.ts';
import { currencyOfAmounts, type SettlementTotals } from '../../domain/settlements/settlement-totals.ts';
import { getPartner } from '../../operations/access/manage-partner.ts';
import { closeSettlement } from '../../operations/settlements/close-settlement.ts';
import { getSettlement } from '../../operations/settlements/get-settlement.ts';
import { readSettlementView, readSettlementViews } from '../../operations/settlements/read-settlements.ts';
import { replyToDispute } from '../../operations/settlements/reply-to-dispute.ts';
import { problemAt, type SettlementProblem } from '../../operations/settlements/settlement-problem.ts';
import { type SettlementsVerdict, verifySettlements } from '../../operations/settlements/verify-settlements.ts';
import { attestContribution, getSealedRecord } from '../../operations/verification/attest.ts';
import { explainUnreadable } from '../../operations/verification/explain-unreadable.ts';
import { configuredSettlementTools } from '../../service/keys/configured-seals.ts';
import { readClock } from '../../store/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { findOpenSettlement, findSettlementBySequence, type Settlement } from '../../store/settlements/settlement.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { type SettlementView, settlementToWire } from '../../wire/settlement-to-wire.ts';
import { confirm, confirmAtTerminal, YES } from '../terminal/confirmation.ts';
import { readMonth, UsageError } from '../terminal/options.ts';
import { formatTime, printFields, printJson, printProgress, printText, type Row } from '../terminal/output.ts';
import { type PageOptions, printPage, readAfterId } from '../terminal/page.ts';
import { readPartnerNames } from '../terminal/partner-names.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { partnersToVerify, printFound } from '../terminal/verification.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';
import { printMonthTotals } from './settlement-totals.ts';

/** A closing without an id, so soon after another one, may mean the one that is closed. */
const SOON_MS = 3_600_000;

interface OfPartner {
  readonly partner: string;
  readonly json?: boolean;
}

export function settlementCommand(): ProgramCommand {
  const settlement = new ProgramCommand('settlement').description(
    'settlements: contributions of a partner in a period, and the payable amount',
  );
  const ofPartner = (name: string, description: string) =>
    settlement.command(name).description(description).requiredOption('--partner <partner>', 'id or name of the partner');
  ofPartner('list', 'settlements of a partner, the latest first').paged(24).action(withOperator('viewer', list));
  ofPartner('show', 'one settlement with its totals')
    .requiredOption('--settlement <id>', 'id of the settlement')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', show));
  settlement
    .command('totals')
    .description('what the closed settlements of a month come to over all partners, by currency')
    .requiredOption('--month <month>', 'calendar month, such as 2026-11', readMonth)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', printMonthTotals));
  ofPartner('close', 'close the open settlement now, before the end of its period')
    .option(
      '--settlement <id>',
      'id of the open settlement: no other is closed; required with --yes within an hour after another closing',
    )
    .option(...YES)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(closeSettlement.leastRole, close));
  ofPartner('attest', 'attest that a modified contribution is correct, after comparing it with a backup')
    .requiredOption('--transaction <id>', 'id of the contribution')
    .requiredOption('--reason <text>', 'reason, stored with the change')
    .option('--json', 'one JSON object, for programs')
    .option(...YES)
    .action(withOperator(attestContribution.leastRole, attest));
  ofPartner('reply', 'record what the partner was told about its dispute; nothing is sent, and the dispute stays open')
    .requiredOption('--settlement <id>', 'id of the settlement')
    .requiredOption('--text <text>', 'the words, stored with the settlement')
    .option('--json', 'one JSON object, for programs')
    .option(...YES)
    .action(withOperator(replyToDispute.leastRole, reply));
  settlement
    .command('verify')
    .description('verify settlements, their contributions and acknowledgements; report modified rows (exit code 1)')
    .option('--partner <partner>', 'only this partner (default: all)')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', verify));
  return settlement;
}

async function list({ database, config }: OperatorContext, options: PageOptions & { partner: string }): Promise<void> {
  const { partner, limit } = options;
  const beforeSequence = await readPlace(database, options);
  const { pricesOf } = configuredSettlementTools(config);
  const shown = await readSettlementViews(database, pricesOf, { partnerId: partner, beforeSequence, limit: limit + 1 });
  printPage(shown, options, {
    cursorOf: ({ settlement }) => settlement.settlementId,
    toJson: (each) => settlementToWire(each, config.environment),
    toRow,
    ifNone: 'The partner has no settlement yet; the running service opens it.',
  });
}

async function readPlace({ pool }: Database, options: PageOptions & { partner: string }): Promise<bigint> {
  const afterId = readAfterId(options, 'stl');
  if (afterId === undefined) return INT64_MAX;
  return (await getSettlement(pool, options.partner, afterId)).sequence;
}

async function show(
  { database, config }: OperatorContext,
  { partner, settlement: id, json }: OfPartner & { settlement: string },
): Promise<void> {
  const settlement = await getSettlement(database.pool, partner, id);
  print(await readSettlementView(database, configuredSettlementTools(config).pricesOf, settlement), config.environment, json);
}

async function close(
  { database, config, actor }: OperatorContext,
  { partner, settlement: settlementId, yes, json }: OfPartner & { settlement?: string; yes?: boolean },
): Promise<void> {
  const { partnerId } = await getPartner(database.pool, partner);
  const open = await findMeant(database.pool, partnerId, settlementId);
  const { label, endsAt } = open.period;
  if (settlementId === undefined && yes) await refuseSoonAfterClosing(database.pool, open);
  await confirm(
    `Close settlement ${label} (${open.settlementId}) of ${partner}, which runs to ${formatTime(endsAt)}?`,
    'final',
    yes,
  );
  const tools = configuredSettlementTools(config);
  printProgress('Closing: writing a line for each contribution …');
  const closing = { partnerId, isEarly: true, settlementId: open.settlementId };
  const outcome = await closeSettlement(database, actor, closing, tools);
  if (!outcome) throw new Error('Another process closed the settlement. `settlement list` shows it.');
  print(await readSettlementView(database, tools.pricesOf, outcome.closed), config.environment, json);
}

/** The settlement to close: the one of this id, which must be open; without an id the open one. */
async function findMeant(db: Queryable, partnerId: string, settlementId: string | undefined): Promise<Settlement> {
  if (settlementId === undefined) {
    const open = await findOpenSettlement(db, partnerId);
    if (!open) throw new Error('The partner has no open settlement yet; the running service opens it.');
    return open;
  }
  const named = await getSettlement(db, partnerId, settlementId);
  if (named.status === 'open') return named;
  const message = `The settlement ${settlementId} (${named.period.label}) is closed already.`;
  throw invalidRequest([{ field: 'settlement_id', code: 'not_possible', message }]);
}

/**
 * @throws UsageError Within an hour after the settlement before was closed: a program that repeats its command, or that comes after the schedule,
 * means that one.
 */
async function refuseSoonAfterClosing(db: Queryable, { partnerId, settlementId, sequence, period }: Settlement): Promise<void> {
  const before = await findSettlementBySequence(db, partnerId, sequence - 1n);
  const sinceMs = (await readClock(db)).getTime() - (before?.closedAt?.getTime() ?? 0);
  // One that a partner of a sandbox closed by its own clock may be of a later month.
  if (sinceMs < 0 || sinceMs >= SOON_MS) return;
  throw new UsageError(
    `The settlement ${before?.settlementId} (${before?.period.label}) was closed within the last hour, so --yes needs --settlement. The open one is ${settlementId} (${period.label}).`,
  );
}

async function attest(
  { database, actor }: OperatorContext,
  { partner: partnerId, transaction, reason, yes, json }: OfPartner & { transaction: string; reason: string; yes?: boolean },
): Promise<void> {
  const id = { partnerId, transactionId: transaction };
  const shown = exactJson(await getSealedRecord(database.pool, id));
  const whose = (await readPartnerNames(database.pool, [partnerId]))(partnerId);
  await confirmAtTerminal(`Attest the contribution ${transaction} of ${whose} as it is: ${shown}?`, 'final', yes);
  const record = await attestContribution(database, actor, id, { reason, shown });
  if (json) printJson({ partner_id: partnerId, transaction_id: transaction, attested: true, record });
  else printText(`Attested and sealed: ${transaction}. The next closing settles it.\n${exactJson(record)}\n`);
}

async function reply(
  { database, actor }: OperatorContext,
  {
    partner: partnerId,
    settlement: settlementId,
    text,
    yes,
    json,
  }: OfPartner & { settlement: string; text: string; yes?: boolean },
): Promise<void> {
  const { period } = await getSettlement(database.pool, partnerId, settlementId);
  await confirm(
    `Record this as told to ${partnerId} about its dispute of the settlement ${period.label} (${settlementId}): "${text}"?`,
    'final',
    yes,
  );
  const { repliedAt, operatorId } = await replyToDispute(database, actor, { partnerId, settlementId, text });
  if (json)
    printJson({ partner_id: partnerId, settlement_id: settlementId, replied_at: repliedAt, operator_id: operatorId, text });
  else printText(`Recorded at ${formatTime(repliedAt)}. The dispute stays open until the partner accepts the settlement.\n`);
}

async function verify(
  { database, config }: OperatorContext,
  { partner, json }: { partner?: string; json?: boolean },
): Promise<void> {
  const { signLike } = configuredSettlementTools(config);
  const problems: PartnerProblem[] = [];
  const figures = { settlements: 0, lines: 0 };
  let isWhole = false;
  try {
    for await (const { partnerId } of partnersToVerify(database, partner)) {
      const onProgress = (lines: number) => printProgress(`… ${lines} lines of ${partnerId}`);
      const verdict = await verifyPartner(database, partnerId, { signLike, onProgress });
      figures.settlements += verdict.settlements;
      figures.lines += verdict.lines;
      for (const problem of verdict.problems) problems.push({ partnerId, ...problem });
    }
    isWhole = true;
  } finally {
    const unmodified = `Unmodified: ${pluralise(figures.settlements, 'settlement')} with ${pluralise(figures.lines, 'line')}.`;
    printFound({ figures, problems, toJson: problemToJson, toRow: problemToRow, unmodified }, isWhole, json);
  }
}

/** A partner whose settlements no program can read is a problem of its own. */
async function verifyPartner(
  database: Database,
  partnerId: string,
  options: Parameters<typeof verifySettlements>[2],
): Promise<SettlementsVerdict> {
  try {
    return await verifySettlements(database, partnerId, options);
  } catch (error) {
    return { settlements: 0, lines: 0, problems: [problemAt(undefined, null, 'unreadable', explainUnreadable(error))] };
  }
}

type PartnerProblem = SettlementProblem & { readonly partnerId: string };

function problemToJson({ partnerId, settlementId, lineNo, sequence, code, message }: PartnerProblem): object {
  return { partner_id: partnerId, settlement_id: settlementId, sequence, line_no: lineNo, code, message };
}

function problemToRow({ partnerId, settlementId, lineNo, message }: PartnerProblem): Row {
  return { partner: partnerId, settlement: settlementId ?? '-', line: String(lineNo ?? '-'), problem: message };
}

function print(shown: SettlementView, environment: 'sandbox' | 'production', asJson: boolean | undefined): void {
  if (asJson) return void printJson(settlementToWire(shown, environment));
  const { settlement } = shown;
  const { statement, acknowledgement, period } = settlement;
  const { totals, currency, asOf } = shown;
  printFields({
    ...headOf(shown),
    from: formatTime(period.startsAt),
    to: formatTime(period.endsAt),
    timezone: period.timeZone,
    contributions: String(totals.contributionCount),
    adjustments: String(totals.adjustmentCount),
    'gross points': String(totals.grossPoints),
    'adjustment points': String(totals.adjustmentPoints),
    ...figuresToRow(totals, currency),
    'as of': formatTime(asOf),
    lines: statement ? String(statement.lineCount) : '-',
    sha256: statement?.csvSha256 ?? '-',
    acknowledgement: acknowledgement.status,
    acknowledged: formatTime(acknowledgement.acknowledgedAt),
    reference: acknowledgement.reference ?? '-',
  });
}

/** Over several settlements only the net and the payable figures add up. Carried figures have columns of their own. */
function toRow(shown: SettlementView): Row {
  const { settlement, totals, currency } = shown;
  return {
    ...headOf(shown),
    contributions: String(totals.contributionCount),
    ...figuresToRow(totals, currency),
    acknowledgement: settlement.acknowledgement.status,
  };
}

function headOf({ settlement: { settlementId, period, status } }: SettlementView): Row {
  return { settlement: settlementId, period: period.label, status };
}

/** The four figures of points, then those of the amount. */
function figuresToRow(totals: SettlementTotals, currency: string | null): Row {
  const [points, amounts] = [pointFigures(totals), amountFigures(totals, currency)];
  return {
    'carried in points': String(points.carriedIn),
    'net points': String(points.net),
    'payable points': String(points.payable),
    'carried out points': String(points.carriedOut),
    'carried in amount': amounts?.carriedIn ?? '-',
    'net amount': amounts?.net ?? '-',
    'payable amount': amounts?.payable ?? '-',
    'carried out amount': amounts?.carriedOut ?? '-',
    currency: currencyOfAmounts(totals, currency) ?? '-',
  };
}
