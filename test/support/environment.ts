import assert from 'node:assert/strict';
import { ENVIRONMENTAL_STATUSES, type EnvironmentalStatus } from '../../src/domain/impact/environmental-status.ts';
import type { NewEvidence } from '../../src/domain/impact/evidence.ts';
import type { ImpactBatch } from '../../src/domain/impact/impact-batch.ts';
import type { Project } from '../../src/domain/impact/project.ts';
import { changeImpactBatch } from '../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../src/operations/impact/pool-contributions.ts';
import type { Database } from '../../src/store/database.ts';
import type { Settlement } from '../../src/store/settlements/settlement.ts';
import { signedIn } from './actor.ts';
import type { TestPartner, TestService } from './service.ts';
import { closeNow, openFirst } from './settlements.ts';

export const ADA = signedIn('operator');
export const BEA = signedIn('approver');

/** A partner with settlements that are closed, one for each count of contributions. */
export async function withClosed(
  service: TestService,
  ...counts: number[]
): Promise<TestPartner & { readonly partnerId: string; readonly closed: Settlement[] }> {
  const made = await service.newPartner();
  const { partnerId } = made.partner;
  await openFirst(service.database, made.partner);
  const closed: Settlement[] = [];
  for (const count of counts) {
    for (let n = 0; n < count; n++) assert.equal((await made.client.confirm()).status, 201);
    closed.push((await closeNow(service.database, partnerId)).closed);
  }
  return { ...made, partnerId, closed };
}

export function newProject(database: Database, name = 'Mangroves of Jubail'): Promise<Project> {
  return createProject(database, ADA, { nameEn: name, nameAr: 'أشجار المانغروف في الجبيل', country: 'SA' });
}

export function evidence(over: Partial<NewEvidence> = {}): NewEvidence {
  return {
    type: 'photo',
    url: 'https://example.org/photo.jpg',
    fileName: 'photo.jpg',
    byteCount: 3n,
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    capturedAt: new Date('2026-01-02T03:04:05Z'),
    ...over,
  };
}

export async function newBatch(
  database: Database,
  partners: readonly { partnerId: string; closed: readonly Settlement[] }[],
  quantity = 3n,
): Promise<ImpactBatch> {
  const batch = await createImpactBatch(database, ADA, { name: 'November', quantity });
  const { impactBatchId } = batch;
  for (const { partnerId, closed } of partners) {
    const settlementIds = closed.map(({ settlementId }) => settlementId);
    await poolSettlements(database, ADA, { impactBatchId, partnerId, settlementIds });
  }
  return batch;
}

/** Goes on step by step, with evidence before the last. */
export async function advanceTo(
  database: Database,
  { impactBatchId, status }: Pick<ImpactBatch, 'impactBatchId' | 'status'>,
  to: EnvironmentalStatus,
): Promise<void> {
  const steps = ENVIRONMENTAL_STATUSES.slice(ENVIRONMENTAL_STATUSES.indexOf(status) + 1, ENVIRONMENTAL_STATUSES.indexOf(to) + 1);
  for (const step of steps) {
    const projectId = step === 'allocated' ? (await newProject(database)).projectId : undefined;
    const proof = { changeType: 'evidence_added', evidence: evidence(), reason: null } as const;
    if (step === 'verified') await changeImpactBatch(database, ADA, impactBatchId, proof);
    const change = { changeType: 'advanced', to: step, projectId, reason: null } as const;
    await changeImpactBatch(database, step === 'verified' ? BEA : ADA, impactBatchId, change);
  }
}
