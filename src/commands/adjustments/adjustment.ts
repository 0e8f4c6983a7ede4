import { Option } from 'commander';
import { ADJUSTMENT_REASONS, ADJUSTMENT_STATUSES, type AdjustmentStatus } from '../../domain/adjustments/adjustment.ts';
import type { NewAdjustment } from '../../domain/adjustments/new-adjustment.ts';
import { amountText } from '../../domain/numbers/money.ts';
import { pluralise } from '../../domain/pluralise.ts';
import {
  approveAdjustment,
  draftAdjustment,
  getAdjustment,
  oppositeOf,
  postAdjustment,
  rejectAdjustment,
} from '../../operations/adjustments/manage-adjustment.ts';
import { previewAdjustment } from '../../operations/adjustments/preview-adjustment.ts';
import { verifyAdjustments } from '../../operations/adjustments/verify-adjustments.ts';
import { type AuditDifference, eachAuditedSubject } from '../../operations/audit/compare-with-audit.ts';
import type { SettlementTools } from '../../operations/settlements/settlement-tools.ts';
import { configuredSettlementTools } from '../../service/keys/configured-seals.ts';
import { type Adjustment, listAdjustments } from '../../store/adjustments/adjustment.ts';
import type { Database } from '../../store/database.ts';
import { confirm, confirmAtTerminal, YES, YES_WITHOUT_EFFECT } from '../terminal/confirmation.ts';
import { integerReader, UsageError } from '../terminal/options.ts';
import { printProgress } from '../terminal/output.ts';
import { type PageOptions, printPage, readAfterId } from '../terminal/page.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { readDone } from '../terminal/read-done.ts';
import { partnersToVerify, printFound } from '../terminal/verification.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';
import { adjustmentToJson, adjustmentToRow, describeChange, printAdjustment } from './adjustment-output.ts';

interface OfPartner {
  readonly partner: string;
  readonly json?: boolean;
}

interface Target extends OfPartner {
  readonly adjustment: string;
}

const readPoints = integerReader('a whole number of points, such as -250', { isSigned: true });

export function adjustmentCommand(): ProgramCommand {
  const adjustment = new ProgramCommand('adjustment').description(
    'adjustments: corrections of settled contributions, with four eyes',
  );
  const ofPartner = (name: string, description: string) =>
    adjustment.command(name).description(description).requiredOption('--partner <partner>', 'id or name of the partner');
  const one = (name: string, description: string) =>
    ofPartner(name, description)
      .requiredOption('--adjustment <id>', 'id of the adjustment')
      .option('--json', 'one JSON object, for programs');
  ofPartner('draft', 'draft a correction; another operator approves it')
    .option('--transaction <id>', 'id of the contribution, which does not change')
    .addOption(new Option('--reason <code>', 'why').choices(ADJUSTMENT_REASONS).makeOptionMandatory())
    .requiredOption('--reason-en <text>', 'reason in English, for the partner')
    .requiredOption('--reason-ar <text>', 'reason in Arabic, for the partner')
    .option('--points-delta <n>', 'change of the settled points, such as -250', readPoints)
    .option('--amount-delta <decimal>', 'change of the settled amount, for a restatement, such as -12.5')
    .addOption(
      new Option('--reversal-of <id>', 'id of the adjustment to reverse: the new one has the opposite deltas').conflicts([
        'pointsDelta',
        'amountDelta',
      ]),
    )
    .option('--beyond-worth-reason <text>', 'for admins: reason why the settled amount exceeds the value of the points')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(draftAdjustment.leastRole, draft));
  ofPartner('list', 'adjustments of a partner, the latest first')
    .addOption(new Option('--status <status>', 'only these').choices(ADJUSTMENT_STATUSES))
    .paged()
    .action(withOperator('viewer', list));
  one('show', 'one adjustment').action(withOperator('viewer', show));
  one('approve', 'approve an adjustment that another operator drafted')
    .option(...YES_WITHOUT_EFFECT)
    .action(withOperator(approveAdjustment.leastRole, approve));
  one('reject', 'reject an adjustment that is not posted, permanently')
    .option(...YES)
    .requiredOption('--reason <text>', 'reason, stored with the change')
    .formerly('note', 'reason')
    .action(withOperator(rejectAdjustment.leastRole, reject));
  one(
    'post',
    'post an approved adjustment, permanently: the partner gets an event, and the settlement of the current period gets its line',
  )
    .option(...YES)
    .action(withOperator(postAdjustment.leastRole, post));
  adjustment
    .command('verify')
    .description('verify adjustments against the audit; report modified ones (exit code 1)')
    .option('--partner <partner>', 'only of this partner (default: of all)')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', verify));
  return adjustment;
}

interface DraftOptions extends OfPartner {
  readonly transaction?: string;
  readonly reason: string;
  readonly reasonEn: string;
  readonly reasonAr: string;
  readonly pointsDelta?: bigint;
  readonly amountDelta?: string;
  readonly reversalOf?: string;
  readonly beyondWorthReason?: string;
}

async function draft({ database, config, actor }: OperatorContext, options: DraftOptions): Promise<void> {
  const { partner: partnerId, reason: reasonCode, reasonEn, reasonAr, beyondWorthReason, json } = options;
  const stated = options.reversalOf
    ? await oppositeOf(database.pool, { partnerId, adjustmentId: options.reversalOf })
    : readStated(options);
  if (options.transaction !== undefined && options.transaction !== stated.transactionId)
    throw new UsageError(`The adjustment ${options.reversalOf} belongs to the contribution ${stated.transactionId}.`);
  const wanted = { ...stated, partnerId, reasonCode, reasonEn, reasonAr, beyondWorthReason };
  const tools = configuredSettlementTools(config);
  await printDone(database, await draftAdjustment(database, actor, wanted, tools), { tools, json });
}

type Stated = Pick<NewAdjustment, 'pointsDelta' | 'amountDelta' | 'reversalOf'> & { readonly transactionId: string };

function readStated({ transaction, pointsDelta = 0n, amountDelta }: DraftOptions): Stated {
  if (transaction === undefined) throw new UsageError('Give --transaction, or the adjustment to reverse: --reversal-of ID.');
  return { transactionId: transaction, pointsDelta, amountDelta: amountDelta ?? null, reversalOf: null };
}

async function list(
  { database }: OperatorContext,
  options: PageOptions & { partner: string; status?: AdjustmentStatus },
): Promise<void> {
  const { partner, status = null, limit } = options;
  const beforeId = readAfterId(options, 'adj');
  const found = await listAdjustments(database.pool, partner, { ...(beforeId && { beforeId }), status, limit: limit + 1 });
  const shown = { toJson: adjustmentToJson, toRow: adjustmentToRow, ifNone: 'No adjustment matches.' };
  printPage(found, options, { ...shown, cursorOf: ({ adjustmentId }) => adjustmentId });
}

async function show({ database, config }: OperatorContext, { partner, adjustment, json }: Target): Promise<void> {
  const found = await getAdjustment(database.pool, { partnerId: partner, adjustmentId: adjustment });
  printAdjustment(found, await previewAdjustment(database, found, configuredSettlementTools(config)), json);
}

async function approve({ database, config, actor }: OperatorContext, { partner, adjustment, json }: Target): Promise<void> {
  const id = { partnerId: partner, adjustmentId: adjustment };
  const tools = configuredSettlementTools(config);
  await printDone(database, await approveAdjustment(database, actor, id, tools), { tools, json });
}

async function reject(
  { database, config, actor }: OperatorContext,
  { partner, adjustment, reason, yes, json }: Target & { reason: string; yes?: boolean },
): Promise<void> {
  const id = { partnerId: partner, adjustmentId: adjustment };
  const tools = configuredSettlementTools(config);
  const found = await getAdjustment(database.pool, id);
  await confirmAtTerminal(`Reject the adjustment ${adjustment} of ${describeDelta(found)}?`, 'final', yes);
  await printDone(database, await rejectAdjustment(database, actor, id, reason), { tools, json });
}

async function post(
  { database, config, actor }: OperatorContext,
  { partner, adjustment, yes, json }: Target & { yes?: boolean },
): Promise<void> {
  const id = { partnerId: partner, adjustmentId: adjustment };
  const tools = configuredSettlementTools(config);
  const found = await getAdjustment(database.pool, id);
  const change = describeChange(await previewAdjustment(database, found, tools));
  await confirm(`Post ${describeDelta(found)}${change}, and send an event to the partner?`, 'final', yes);
  await printDone(database, await postAdjustment(database, actor, id, tools), { tools, json });
}

function describeDelta({ transactionId, pointsDelta, amountDelta }: Adjustment): string {
  const what = amountDelta === null ? `${pointsDelta} points` : `an amount of ${amountText(amountDelta)}`;
  return `${what} for the contribution ${transactionId}`;
}

async function printDone(
  database: Database,
  adjustment: Adjustment,
  { tools: { pricesOf }, json }: { tools: SettlementTools; json: boolean | undefined },
): Promise<void> {
  const preview = await readDone('adjustment show', () => previewAdjustment(database, adjustment, { pricesOf }));
  printAdjustment(adjustment, preview, json);
}

async function verify({ database }: OperatorContext, { partner, json }: Partial<OfPartner>): Promise<void> {
  const audited = new Set(partner === undefined ? await Array.fromAsync(eachAuditedSubject(database.pool, 'adj_')) : []);
  const problems: AuditDifference[] = [];
  let adjustments = 0;
  let isWhole = false;
  try {
    for await (const { partnerId } of partnersToVerify(database, partner)) {
      const verdict = await verifyAdjustments(database, partnerId, audited);
      adjustments += verdict.adjustments;
      for (const problem of verdict.problems) problems.push(problem);
      if (verdict.adjustments > 0) printProgress(`… ${verdict.adjustments} adjustments of ${partnerId}`);
    }
    for (const subjectId of audited) problems.push({ subjectId, fields: ['removed'] });
    isWhole = true;
  } finally {
    const verification = {
      figures: { adjustments },
      problems,
      toJson: ({ subjectId, fields }: AuditDifference) => ({ adjustment_id: subjectId, fields }),
      toRow: ({ subjectId, fields }: AuditDifference) => ({ adjustment: subjectId, 'differs from the audit': fields.join(', ') }),
      unmodified: `Unmodified: ${pluralise(adjustments, 'adjustment')}.`,
    };
    printFound(verification, isWhole, json);
  }
}
