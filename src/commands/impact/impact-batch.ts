import { Option } from 'commander';
import { ENVIRONMENTAL_STATUSES, type EnvironmentalStatus } from '../../domain/impact/environmental-status.ts';
import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import type { AuditDifference } from '../../operations/audit/compare-with-audit.ts';
import { type BatchChange, changeImpactBatch } from '../../operations/impact/change-impact-batch.ts';
import { getImpactBatch } from '../../operations/impact/impact-batch-record.ts';
import { createImpactBatch, poolSettlements } from '../../operations/impact/pool-contributions.ts';
import { verifyImpactBatches } from '../../operations/impact/verify-impact-batches.ts';
import { listImpactBatches } from '../../store/impact/impact-batch.ts';
import { listEvidence } from '../../store/impact/impact-evidence.ts';
import { findProject } from '../../store/impact/project.ts';
import { confirm, YES } from '../terminal/confirmation.ts';
import { hashFile } from '../terminal/hash-file.ts';
import { integerReader, readChangeNo, readName, readPastTime, readSettlementCount } from '../terminal/options.ts';
import { printJson, printProgress, printText } from '../terminal/output.ts';
import { type PageOptions, printPage, readAfterId } from '../terminal/page.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { printVerification } from '../terminal/verification.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';
import { addToBatch } from './impact-batch-add.ts';
import { batchToJson, batchToRow, describeBatch, nameProject, printBatch, printChangedBatch } from './impact-batch-output.ts';

interface JsonOption {
  readonly json?: boolean;
}

interface Target extends JsonOption {
  readonly batch: string;
  readonly yes?: boolean;
  readonly reason?: string;
  readonly expectedChangeNo?: number;
  readonly expectedSettlements?: number;
}

const EXPECTED_CHANGE_NO = [
  '--expected-change-no <n>',
  'refuse it after another change than this, the latest that was seen',
  readChangeNo,
] as const;

const readTrees = integerReader('a whole number of trees');

export function impactBatchCommand(): ProgramCommand {
  const impactBatch = new ProgramCommand('impact-batch').description(
    'impact batches: contributions of closed settlements, pooled for a project, and their environmental status',
  );
  impactBatch
    .command('create')
    .description('create a batch for a number of trees; `add` adds settlements')
    .requiredOption('--name <name>', 'name for operators', readName)
    .requiredOption('--trees <n>', 'number of trees to plant', readTrees)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(createImpactBatch.leastRole, create));
  impactBatch.command('list').description('the latest batches first').paged().action(withOperator('viewer', list));
  const one = (name: string, description: string) =>
    impactBatch
      .command(name)
      .description(description)
      .requiredOption('--batch <id>', 'id of the batch')
      .option('--json', 'one JSON object, for programs');
  const change = (name: string, description: string) =>
    one(name, description)
      .option('--reason <text>', 'reason, stored with the change')
      .option(...EXPECTED_CHANGE_NO)
      .option(
        '--expected-settlements <n>',
        'refuse it with another number of settlements than this, which was seen',
        readSettlementCount,
      )
      .option(...YES);
  one('show', 'one batch with its evidence and history').action(withOperator('viewer', show));
  one('add', 'add closed settlements to a batch that is not allocated yet, permanently; partners get an event')
    .option(
      '--period <label>',
      'every closed settlement of a month that is in no batch, such as 2026-11; or of one period, such as 2026-11-2',
    )
    .option('--partner <partner>', 'only of this partner')
    .option('--settlement <id...>', 'these settlements of the partner')
    .option(...EXPECTED_CHANGE_NO)
    .option(...YES)
    .action(withOperator(poolSettlements.leastRole, addToBatch));
  change('advance', 'record the next status; partners get an event')
    .addOption(new Option('--to <status>', 'the next status').choices(ENVIRONMENTAL_STATUSES.slice(1)).makeOptionMandatory())
    .option('--project <id>', 'the project, for allocated')
    .action(withOperator(changeImpactBatch.leastRole, advance));
  change('reallocate', 'give a batch to another project, because the first cannot deliver; partners get an event')
    .requiredOption('--project <id>', 'the new project')
    .action(withOperator(changeImpactBatch.leastRole, reallocate));
  change('delay', 'record a delay; partners get an event')
    .requiredOption('--expected <period>', 'when delivery is expected: 2027, 2027-Q2 or 2027-05')
    .action(withOperator(changeImpactBatch.leastRole, delay));
  change('add-evidence', 'record the SHA-256 of a file as evidence, permanently; partners get an event')
    .requiredOption('--file <path>', 'the file, which is only read')
    .requiredOption('--type <word>', 'type of the evidence, such as photo or satellite_image')
    .requiredOption('--url <url>', 'where partners and their customers find it: https, at a public host')
    .requiredOption('--captured-at <time>', 'when it was captured, such as 2027-01-31T00:00:00Z', readPastTime)
    .action(withOperator(changeImpactBatch.leastRole, addEvidence));
  one('check-evidence', 'check whether a file is evidence of a batch, byte for byte (exit code 1 if not)')
    .requiredOption('--file <path>', 'the file')
    .action(withOperator('viewer', checkEvidence));
  change('correct', 'correct the number of trees; partners get an event')
    .requiredOption('--trees <n>', 'whole trees', readTrees)
    .action(withOperator(changeImpactBatch.leastRole, correct));
  impactBatch
    .command('verify')
    .description('verify projects and batches against the audit; report modified ones (exit code 1)')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', verify));
  return impactBatch;
}

async function create(
  { database, actor }: OperatorContext,
  { name, trees, json }: JsonOption & { name: string; trees: bigint },
): Promise<void> {
  const batch = await createImpactBatch(database, actor, { name, quantity: trees });
  await printChangedBatch(database, batch, json);
}

async function list({ database }: OperatorContext, options: PageOptions): Promise<void> {
  const beforeId = readAfterId(options, 'batch');
  const batches = await listImpactBatches(database.pool, { ...(beforeId && { beforeId }), limit: options.limit + 1 });
  const ifNone = 'There is no impact batch yet. Create one with `impact-batch create`.';
  const cursorOf = ({ impactBatchId }: ImpactBatch) => impactBatchId;
  printPage(batches, options, { cursorOf, toJson: batchToJson, toRow: batchToRow, ifNone });
}

async function show({ database }: OperatorContext, { batch, json }: Target): Promise<void> {
  await printBatch(database, await getImpactBatch(database.pool, batch), json);
}

async function advance(context: OperatorContext, options: Target & { to: EnvironmentalStatus; project?: string }): Promise<void> {
  const { to, project: projectId } = options;
  const of = projectId === undefined ? '' : ` for the project ${await readProjectName(context, projectId)}`;
  await record(
    context,
    options,
    { changeType: 'advanced', to, projectId },
    `Set its status to ${to}${of} and send an event to its partners?`,
  );
}

async function reallocate(context: OperatorContext, options: Target & { project: string }): Promise<void> {
  await record(
    context,
    options,
    { changeType: 'reallocated', projectId: options.project },
    `Give it to the project ${await readProjectName(context, options.project)}?`,
  );
}

/** The change refuses a project that is not there. */
async function readProjectName({ database }: OperatorContext, projectId: string): Promise<string> {
  const project = await findProject(database.pool, projectId);
  return project ? nameProject(project) : projectId;
}

async function delay(context: OperatorContext, options: Target & { expected: string }): Promise<void> {
  await record(
    context,
    options,
    { changeType: 'delayed', expectedDeliveryPeriod: options.expected },
    `Record a delay until ${options.expected}?`,
  );
}

async function correct(context: OperatorContext, options: Target & { trees: bigint }): Promise<void> {
  await record(
    context,
    options,
    { changeType: 'corrected', quantity: options.trees },
    `Correct its number of trees to ${options.trees}?`,
  );
}

async function addEvidence(
  context: OperatorContext,
  options: Target & { file: string; type: string; url: string; capturedAt: Date },
): Promise<void> {
  const { file, type, url, capturedAt } = options;
  const hashed = await hashFile(file, printBytesHashed);
  const question = `Record ${hashed.fileName} (SHA-256 ${hashed.sha256}) as evidence and send an event to its partners?`;
  await record(context, options, { changeType: 'evidence_added', evidence: { ...hashed, type, url, capturedAt } }, question);
}

/** These changes cannot be undone. Another change can correct the others; partners get an event for it too. */
const FINAL: ReadonlySet<BatchChange['changeType']> = new Set(['advanced', 'evidence_added']);

type Recorded = BatchChange extends infer Change
  ? Change extends BatchChange
    ? Omit<Change, 'reason' | 'expectedChangeNo' | 'expectedSettlementCount'>
    : never
  : never;

/** After a question the change is of the batch that the question named: another operator may change it while the question stands. */
async function record(
  { database, actor }: OperatorContext,
  { batch, reason = '', expectedChangeNo, expectedSettlements, yes, json }: Target,
  change: Recorded,
  question: string,
): Promise<void> {
  const found = await getImpactBatch(database.pool, batch);
  const { sentence, settlementCount } = await describeBatch(database, found);
  await confirm(`${sentence} ${question}`, FINAL.has(change.changeType) ? 'final' : 'partners_are_told', yes);
  const seen = {
    expectedChangeNo: expectedChangeNo ?? (yes ? undefined : found.changeNo),
    expectedSettlementCount: expectedSettlements ?? (yes ? undefined : settlementCount),
  };
  const wanted = { ...change, reason: reason === '' ? null : reason, ...seen } as BatchChange;
  await printChangedBatch(database, await changeImpactBatch(database, actor, batch, wanted), json);
}

async function checkEvidence({ database }: OperatorContext, { batch, file, json }: Target & { file: string }): Promise<void> {
  const { impactBatchId } = await getImpactBatch(database.pool, batch);
  const { fileName, sha256 } = await hashFile(file, printBytesHashed);
  const evidence = await listEvidence(database.pool, impactBatchId);
  const found = evidence.find((each) => each.sha256 === sha256);
  const sameName = evidence.find((each) => each.fileName === fileName);
  if (!found) process.exitCode = 1;
  if (json) return printJson({ ok: found !== undefined, sha256, evidence_no: found?.evidenceNo ?? null });
  if (found) printText(`${fileName} is evidence ${found.evidenceNo} of the batch, byte for byte.\n`);
  else printText(`${explainOther(fileName, sameName?.evidenceNo)} Its SHA-256 is ${sha256}.\n`);
}

function explainOther(fileName: string, evidenceNo: number | undefined): string {
  if (evidenceNo === undefined) return `${fileName} is not evidence of the batch.`;
  return `${fileName} has the name of evidence ${evidenceNo} but other bytes.`;
}

async function verify({ database }: OperatorContext, { json }: JsonOption): Promise<void> {
  const onProgress = (compared: number) => printProgress(`… ${compared} impact batches`);
  const { batches, projects, problems } = await verifyImpactBatches(database, onProgress);
  const verification = {
    figures: { batches, projects },
    problems,
    toJson: ({ subjectId, fields }: AuditDifference) => ({ subject_id: subjectId, fields }),
    toRow: ({ subjectId, fields }: AuditDifference) => ({ record: subjectId, 'differs from the audit': fields.join(', ') }),
    unmodified: `Unmodified: ${batches} impact batches and ${projects} projects.`,
  };
  printVerification(verification, json);
}

function printBytesHashed(bytes: bigint): void {
  printProgress(`… ${bytes / 2n ** 30n} GiB read`);
}
