import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import type { Project } from '../../domain/impact/project.ts';
import { pluralise } from '../../domain/pluralise.ts';
import {
  addUpSettlements,
  evidenceRecord,
  getImpactBatch,
  getImpactBatchView,
} from '../../operations/impact/impact-batch-record.ts';
import type { Database } from '../../store/database.ts';
import { type ImpactBatchChange, listImpactBatchChanges } from '../../store/impact/impact-batch.ts';
import { formatTime, printFields, printJson, printTable, printText, type Row } from '../terminal/output.ts';
import { readDone } from '../terminal/read-done.ts';

/** A batch with its settlements, its evidence and its history. */
export async function printBatch(database: Database, batch: ImpactBatch, asJson: boolean | undefined): Promise<void> {
  printShown(await readShown(database, batch), asJson);
}

/** A batch after a change, as it is now. The change is done, even when the batch cannot be read at the moment. */
export async function printChangedBatch(database: Database, batch: ImpactBatch, asJson: boolean | undefined): Promise<void> {
  const { pool } = database;
  const shown = await readDone('impact-batch show', async () =>
    readShown(database, await getImpactBatch(pool, batch.impactBatchId)),
  );
  if (shown) printShown(shown, asJson);
  else if (asJson) printJson(batchToJson(batch));
  else printFields(batchToRow(batch));
}

/** The batch as a question names it, and how many settlements it has then. */
export async function describeBatch(
  { pool }: Database,
  batch: ImpactBatch,
): Promise<{ sentence: string; settlementCount: number }> {
  const { project } = await getImpactBatchView(pool, batch);
  const { settlementCount, shares } = await addUpSettlements(pool, batch.impactBatchId);
  const of =
    project === null
      ? `${pluralise(settlementCount, 'settlement')} of ${pluralise(shares.length, 'partner')}, no project yet`
      : `for the project ${nameProject(project)}`;
  const sentence = `Impact batch "${batch.name}" is ${batch.status}: ${pluralise(batch.quantity, 'tree')}, ${of}.`;
  return { sentence, settlementCount };
}

/** A project as a question names it. */
export function nameProject({ nameEn, projectId }: Project): string {
  return `${nameEn} (${projectId})`;
}

async function readShown({ pool }: Database, batch: ImpactBatch) {
  const { project, evidence } = await getImpactBatchView(pool, batch);
  const pooled = await addUpSettlements(pool, batch.impactBatchId);
  return { batch, project, evidence, pooled, changes: await listImpactBatchChanges(pool, batch.impactBatchId) };
}

function printShown(
  { batch, project, evidence, pooled, changes }: Awaited<ReturnType<typeof readShown>>,
  asJson: boolean | undefined,
): void {
  const counts = {
    partners: pooled.shares.length,
    settlements: pooled.settlementCount,
    contributions: pooled.contributionCount,
  };
  if (asJson) {
    const history = changes.map(changeToJson);
    printJson({ ...batchToJson(batch), ...counts, evidence: evidence.map(evidenceRecord), changes: history });
    return;
  }
  printFields({
    ...batchToRow(batch),
    'project name': project?.nameEn ?? '-',
    'delivered by': batch.deliveredBy ?? '-',
    'verified by': batch.verifiedBy ?? '-',
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
  });
  const files = evidence.map(({ evidenceNo, type, fileName, sha256, capturedAt }) => ({
    evidence: String(evidenceNo),
    type,
    captured: formatTime(capturedAt),
    sha256,
    file: fileName,
  }));
  if (files.length > 0) printSection(files);
  if (changes.length > 0) printSection(changes.map(changeToRow));
}

function printSection(rows: readonly Row[]): void {
  printText('\n');
  printTable(rows, '');
}

export function batchToRow(batch: ImpactBatch): Row {
  return {
    batch: batch.impactBatchId,
    status: batch.status,
    since: formatTime(batch.statusAt),
    trees: String(batch.quantity),
    project: batch.projectId ?? '-',
    expected: batch.expectedDeliveryPeriod ?? '-',
    name: batch.name,
  };
}

export function batchToJson(batch: ImpactBatch) {
  return {
    impact_batch_id: batch.impactBatchId,
    name: batch.name,
    status: batch.status,
    status_at: batch.statusAt,
    change_no: batch.changeNo,
    quantity: batch.quantity,
    project_id: batch.projectId,
    delayed_at: batch.delayedAt,
    expected_delivery_period: batch.expectedDeliveryPeriod,
    delivered_by: batch.deliveredBy,
    verified_by: batch.verifiedBy,
    created_at: batch.createdAt,
  };
}

function changeToJson(change: ImpactBatchChange): object {
  return {
    change_no: change.changeNo,
    change_type: change.changeType,
    previous_status: change.previousStatus,
    status: change.status,
    project_id: change.projectId,
    quantity: change.quantity,
    expected_delivery_period: change.expectedDeliveryPeriod,
    reason: change.reason,
    operator_id: change.operatorId,
    occurred_at: change.occurredAt,
  };
}

function changeToRow(change: ImpactBatchChange): Row {
  return {
    change: String(change.changeNo),
    type: change.changeType,
    status: change.status,
    at: formatTime(change.occurredAt),
    by: change.operatorId,
    trees: String(change.quantity),
    reason: change.reason ?? '-',
  };
}
