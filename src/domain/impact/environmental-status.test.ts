import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkEnvironmentalChange,
  countProjectEvidence,
  ENVIRONMENTAL_STATUSES,
  type EnvironmentalChange,
  type EnvironmentalChangeType,
  type EnvironmentalStatus,
  environmentalStatusAfter,
  type ImpactBatchFacts,
  isDeliveryPeriod,
  nextEnvironmentalStatus,
} from './environmental-status.ts';

function batch(status: EnvironmentalStatus, over: Partial<ImpactBatchFacts> = {}): ImpactBatchFacts {
  return { status, projectId: 'prj_a', evidenceCount: 1, ...over };
}

const refusal = (facts: ImpactBatchFacts, change: EnvironmentalChange) => checkEnvironmentalChange(facts, change)?.code;

test('settlements, section 4: a batch advances one step at a time, and verified is the last', () => {
  const path: string[] = [];
  for (let status: EnvironmentalStatus | undefined = 'recorded'; status; status = nextEnvironmentalStatus(status))
    path.push(status);
  assert.deepEqual(path, ['recorded', 'allocated', 'funded', 'in_progress', 'delivered', 'verified']);
  for (const status of ENVIRONMENTAL_STATUSES.slice(0, -1)) {
    assert.equal(refusal(batch(status), { changeType: 'advanced', projectId: 'prj_a' }), undefined, status);
    assert.equal(environmentalStatusAfter(status, 'advanced'), nextEnvironmentalStatus(status));
  }
  assert.equal(refusal(batch('verified'), { changeType: 'advanced' }), 'not_possible');
});

test('settlements, section 4: a project that cannot deliver returns the batch to allocated, under another project', () => {
  for (const status of ENVIRONMENTAL_STATUSES) {
    const isPossible = ['allocated', 'funded', 'in_progress'].includes(status);
    const change = { changeType: 'reallocated', projectId: 'prj_b' } as const;
    assert.equal(refusal(batch(status), change), isPossible ? undefined : 'not_possible', status);
    if (isPossible) assert.equal(refusal(batch(status), { ...change, projectId: 'prj_a' }), 'same_project', status);
  }
  assert.equal(environmentalStatusAfter('in_progress', 'reallocated'), 'allocated');
});

test('settlements, section 4: the first allocation names a project', () => {
  const recorded = batch('recorded', { projectId: null });
  assert.equal(refusal(recorded, { changeType: 'advanced' }), 'missing');
  assert.equal(refusal(recorded, { changeType: 'advanced', projectId: 'prj_a' }), undefined);
});

test('settlements, section 4: delay, evidence and correction leave the status as it is', () => {
  for (const status of ENVIRONMENTAL_STATUSES) {
    for (const changeType of ['delayed', 'evidence_added', 'corrected'] as const)
      assert.equal(environmentalStatusAfter(status, changeType), status);
    const late = refusal(batch(status), { changeType: 'delayed', expectedDeliveryPeriod: '2027-Q2' });
    assert.equal(late, ['allocated', 'funded', 'in_progress'].includes(status) ? undefined : 'not_possible', status);
  }
  assert.equal(refusal(batch('funded'), { changeType: 'delayed', expectedDeliveryPeriod: 'soon' }), 'wrong_form');
  for (const text of ['2027', '2027-Q1', '2027-12']) assert.ok(isDeliveryPeriod(text), text);
  for (const text of ['', '27', '2027-13', '2027-00', '2027-Q5', '2027-5', '2027-05-01', '2027\n'])
    assert.ok(!isDeliveryPeriod(text), text);
});

test('settlements, section 4: verified needs evidence', () => {
  assert.equal(refusal(batch('delivered', { evidenceCount: 0 }), { changeType: 'advanced' }), 'missing');
  assert.equal(refusal(batch('delivered'), { changeType: 'advanced' }), undefined);
});

test('settlements, section 4: the evidence of a former project does not count', () => {
  const count = (...types: EnvironmentalChangeType[]) => countProjectEvidence(types.map((changeType) => ({ changeType })));
  assert.equal(count('advanced', 'evidence_added', 'delayed', 'evidence_added', 'advanced'), 2);
  assert.equal(count('advanced', 'evidence_added', 'reallocated', 'advanced'), 0);
  assert.equal(count('evidence_added', 'reallocated', 'evidence_added', 'reallocated', 'evidence_added', 'corrected'), 1);
});

test('settlements, section 4: a verified batch takes no evidence; its record is corrected', () => {
  assert.equal(refusal(batch('verified'), { changeType: 'evidence_added' }), 'not_possible');
  assert.equal(refusal(batch('verified'), { changeType: 'corrected' }), undefined);
});
