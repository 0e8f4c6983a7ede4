import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { begunBefore, operatorOfChange, type RequestedChange } from './batch-four-eyes.ts';
import {
  checkEnvironmentalChange,
  ENVIRONMENTAL_CHANGE_TYPES,
  ENVIRONMENTAL_STATUSES,
  type EnvironmentalChangeType,
  type EnvironmentalStatus,
  environmentalStatusAfter,
  nextEnvironmentalStatus,
} from './environmental-status.ts';

interface Recorded {
  readonly changeType: EnvironmentalChangeType;
  readonly status: EnvironmentalStatus;
  readonly operatorId: string;
}

const corrected = (status: EnvironmentalStatus, operatorId: string): Recorded => ({
  changeType: 'corrected',
  status,
  operatorId,
});

test('settlements, section 4: two operators take part in a delivery with its verification, and in a correction from then on', () => {
  const needed = (status: EnvironmentalStatus, change: RequestedChange) => operatorOfChange(status, change);
  assert.equal(needed('in_progress', { changeType: 'advanced', to: 'delivered' }), 'first');
  assert.equal(needed('delivered', { changeType: 'advanced', to: 'verified' }), 'second');
  assert.equal(needed('delivered', { changeType: 'corrected' }), 'first');
  assert.equal(needed('verified', { changeType: 'corrected' }), 'second');
  for (const status of ['recorded', 'allocated', 'funded', 'in_progress'] as const)
    assert.equal(needed(status, { changeType: 'corrected' }), undefined, status);
  for (const status of ENVIRONMENTAL_STATUSES)
    for (const changeType of ['delayed', 'reallocated', 'evidence_added'] as const)
      assert.equal(needed(status, { changeType }), undefined, `${changeType} ${status}`);
});

test('settlements, section 4: the second operator decides on the delivery and on the last correction of it, and then on the verification', () => {
  const delivered = { status: 'delivered', deliveredBy: 'op_ada', verifiedBy: null } as const;
  const delivery = { operatorId: 'op_ada', step: 'verify_batch' };
  assert.deepEqual(begunBefore(delivered, []), [delivery]);
  const before = corrected('in_progress', 'op_cem');
  assert.deepEqual(begunBefore(delivered, [before]), [delivery]);
  assert.deepEqual(begunBefore(delivered, [before, corrected('delivered', 'op_dua'), corrected('delivered', 'op_bea')]), [
    delivery,
    { operatorId: 'op_bea', step: 'verify_corrected_batch' },
  ]);
  assert.deepEqual(begunBefore({ ...delivered, status: 'verified', verifiedBy: 'op_bea' }, [corrected('delivered', 'op_ada')]), [
    { operatorId: 'op_bea', step: 'correct_verified_batch' },
  ]);
});

test('settlements, section 4: whatever is recorded in whatever order, nothing is verified without evidence and two operators', () => {
  const steps = fc.array(
    fc.record({ changeType: fc.constantFrom(...ENVIRONMENTAL_CHANGE_TYPES), operatorId: fc.constantFrom('op_ada', 'op_bea') }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (drawn) => {
      const batch = new RecordedBatch();
      for (const [n, step] of drawn.entries()) batch.record(step, `prj_${n}`);
      if (batch.status === 'verified') {
        assert.ok(batch.evidenceCount > 0);
        assert.notEqual(batch.verifiedBy, batch.deliveredBy);
        const correction = batch.changes.findLast((change) => change.changeType === 'corrected' && change.status === 'delivered');
        assert.notEqual(batch.verifiedBy, correction?.operatorId);
      }
    }),
    { numRuns: 500 },
  );
});

/** Records the changes that the rules allow. */
class RecordedBatch {
  status: EnvironmentalStatus = 'recorded';
  projectId: string | null = null;
  evidenceCount = 0;
  deliveredBy: string | null = null;
  verifiedBy: string | null = null;
  readonly changes: Recorded[] = [];

  record({ changeType, operatorId }: Pick<Recorded, 'changeType' | 'operatorId'>, projectId: string): void {
    const to = changeType === 'advanced' ? nextEnvironmentalStatus(this.status) : undefined;
    if (checkEnvironmentalChange(this, { changeType, projectId, expectedDeliveryPeriod: '2027' })) return;
    const isSecond = operatorOfChange(this.status, to ? { changeType, to } : { changeType }) === 'second';
    if (isSecond && begunBefore(this, this.changes).some((begun) => begun.operatorId === operatorId)) return;
    const status = environmentalStatusAfter(this.status, changeType);
    if (this.status === 'verified') assert.equal(status, 'verified');
    if (status === 'allocated') this.projectId = projectId;
    if (changeType === 'evidence_added') this.evidenceCount++;
    if (changeType === 'reallocated') this.evidenceCount = 0;
    if (to === 'delivered') this.deliveredBy = operatorId;
    if (to === 'verified') this.verifiedBy = operatorId;
    this.status = status;
    this.changes.push({ changeType, status, operatorId });
  }
}
