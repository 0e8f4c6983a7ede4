import { createHash } from 'node:crypto';
import { idOfWork } from '../../domain/identifiers.ts';
import { ENVIRONMENTAL_STATUSES, type EnvironmentalStatus } from '../../domain/impact/environmental-status.ts';
import type { ImpactBatch, ImpactBatchView } from '../../domain/impact/impact-batch.ts';
import { recordNotFound, ServiceError } from '../../domain/service-error.ts';
import { readClock } from '../../store/clock.ts';
import type { Database } from '../../store/database.ts';
import { findImpactBatch } from '../../store/impact/impact-batch.ts';
import { listEvidence } from '../../store/impact/impact-evidence.ts';
import { findSettlement } from '../../store/settlements/settlement.ts';
import { changeImpactBatch } from '../impact/change-impact-batch.ts';
import { addUpSettlements, getImpactBatch, getImpactBatchView } from '../impact/impact-batch-record.ts';
import { createProject } from '../impact/manage-project.ts';
import { createPooledImpactBatch } from '../impact/pool-contributions.ts';
import { impactBatchNotFound } from '../impact/read-environmental-status.ts';
import { actorOf, requireSandbox, type SandboxCaller, secondActorOf } from './sandbox-actor.ts';

export interface WantedBatch {
  /** The id of the batch that is advanced; by default one is created. */
  readonly impactBatchId: string | undefined;
  readonly settlementIds: readonly string[];
  /** Whole trees. */
  readonly quantity: bigint;
  readonly status: EnvironmentalStatus;
}

const PROJECT = { nameEn: 'Sandbox project', nameAr: 'مشروع تجريبي', country: 'SA' };

/**
 * Pools closed settlements of the partner in its own batch and advances the batch step by step, each with its event and without a second
 * operator.
 *
 * @throws ServiceError `invalid_request`; with status 404 for a settlement that the partner does not have, and for a batch with
 * contributions of another partner.
 */
export async function makeImpactBatch(
  database: Database,
  caller: SandboxCaller,
  wanted: WantedBatch,
): Promise<{ readonly shown: ImpactBatchView; readonly contributionCount: bigint }> {
  await requireSandbox(database);
  const actor = actorOf(caller);
  const batch =
    wanted.impactBatchId === undefined
      ? await make(database, caller, wanted).catch(nameSettlements)
      : await getOwn(database, caller, wanted.impactBatchId);
  let current = batch;
  const target = ENVIRONMENTAL_STATUSES.indexOf(wanted.status);
  if (target < ENVIRONMENTAL_STATUSES.indexOf(current.status))
    throw new ServiceError(
      'invalid_request',
      `The impact batch is ${current.status}, and does not go back to ${wanted.status}.`,
      {
        details: [{ field: 'status', code: 'not_possible', message: `The batch is ${current.status}.` }],
      },
    );
  while (ENVIRONMENTAL_STATUSES.indexOf(current.status) < target) {
    const to = ENVIRONMENTAL_STATUSES[ENVIRONMENTAL_STATUSES.indexOf(current.status) + 1] as EnvironmentalStatus;
    if (to === 'verified') await addEvidence(database, caller, current);
    const projectId = to === 'allocated' ? (await createProject(database, actor, PROJECT)).projectId : undefined;
    const change = { changeType: 'advanced', to, projectId, reason: null } as const;
    current = await changeImpactBatch(database, to === 'verified' ? secondActorOf(caller) : actor, current.impactBatchId, change);
  }
  const { contributionCount } = await addUpSettlements(database.pool, current.impactBatchId);
  return { shown: await getImpactBatchView(database.pool, current), contributionCount };
}

/** Another partner's settlement is answered with the same words. */
export function ownSettlementNotFound(): ServiceError {
  return recordNotFound(
    'settlement_ids',
    'settlement_ids names a settlement that you do not have. GET /v1/settlements lists yours.',
  );
}

/** The batch that the same work created before its process died, or a new one. */
async function make(database: Database, caller: SandboxCaller, { settlementIds, quantity }: WantedBatch): Promise<ImpactBatch> {
  const { partnerId, work } = caller;
  const impactBatchId = idOfWork('batch', work.workId);
  const made = work.isTakenOver ? await findImpactBatch(database.pool, impactBatchId) : undefined;
  if (made) return made;
  for (const settlementId of settlementIds)
    if (!(await findSettlement(database.pool, partnerId, settlementId))) throw ownSettlementNotFound();
  const pooled = { name: `Sandbox of ${partnerId}`, quantity, partnerId, settlementIds, impactBatchId };
  return createPooledImpactBatch(database, actorOf(caller), pooled);
}

/** The refusal names the settlement for operators; partners get the name of the field instead. */
function nameSettlements(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_request' || error.details.length > 0) throw error;
  const message = error.message.replace(/^The settlement \S+ of the partner \S+/, 'A settlement of settlement_ids');
  throw new ServiceError('invalid_request', message, {
    cause: error,
    details: [{ field: 'settlement_ids', code: 'not_possible', message }],
  });
}

/** Another partner's batch, or a shared one, is answered with the same words as a missing one. */
async function getOwn({ pool }: Database, { partnerId }: SandboxCaller, impactBatchId: string): Promise<ImpactBatch> {
  const { shares } = await addUpSettlements(pool, impactBatchId);
  if (shares.length !== 1 || shares[0]?.partnerId !== partnerId) throw impactBatchNotFound();
  return getImpactBatch(pool, impactBatchId);
}

async function addEvidence(database: Database, caller: SandboxCaller, { impactBatchId }: ImpactBatch): Promise<void> {
  if ((await listEvidence(database.pool, impactBatchId)).length > 0) return;
  const text = Buffer.from(`simulated evidence of ${impactBatchId}`);
  const evidence = {
    type: 'report',
    url: 'https://example.com/simulated-evidence.txt',
    fileName: 'simulated-evidence.txt',
    byteCount: BigInt(text.byteLength),
    sha256: createHash('sha256').update(text).digest('hex'),
    capturedAt: await readClock(database.pool),
  };
  await changeImpactBatch(database, actorOf(caller), impactBatchId, { changeType: 'evidence_added', evidence, reason: null });
}
