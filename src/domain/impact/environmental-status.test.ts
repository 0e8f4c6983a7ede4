import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  checkEnvironmentalChange,
  ENVIRONMENTAL_CHANGE_TYPES,
  ENVIRONMENTAL_STATUSES,
  type EnvironmentalChange,
  type EnvironmentalChangeType,
  type EnvironmentalStatus,
  environmentalStatusAfter,
  type ImpactBatchFacts,
  isDeliveryPeriod,
  nextEnvironmentalStatus,
} from './environmental-status.ts';

const ada = { operatorId: 'op_ada' };
const bea = { operatorId: 'op_bea' };

function batch(status: EnvironmentalStatus, over: Partial<ImpactBatchFacts> = {}): ImpactBatchFacts {
  return { status, projectId: 'prj_a', evidenceCount: 1, deliveredBy: 'op_ada', verifiedBy: null, ...over };
}

interface Step {
  readonly changeType: EnvironmentalChangeType;
  readonly operatorId: string;
  readonly projectId: string;
}

/** What is known of a batch when a change that is allowed has been recorded. */
function factsAfter(facts: ImpactBatchFacts, { changeType, operatorId, projectId }: Step): ImpactBatchFacts {
  const status = environmentalStatusAfter(facts.status, changeType);
  const isNew = status !== facts.status;
  return {
    status,
    projectId: status === 'allocated' && (isNew || changeType === 'reallocated') ? projectId : facts.projectId,
    evidenceCount: facts.evidenceCount + (changeType === 'evidence_added' ? 1 : 0),
    deliveredBy: isNew && status === 'delivered' ? operatorId : facts.deliveredBy,
    verifiedBy: isNew && status === 'verified' ? operatorId : facts.verifiedBy,
  };
}

const refusal = (facts: ImpactBatchFacts, change: EnvironmentalChange) => checkEnvironmentalChange(facts, change)?.code;

test('settlements, section 4: a batch advances one step at a time, and verified is the last', () => {
  const path: string[] = [];
  for (let status: EnvironmentalStatus | undefined = 'recorded'; status; status = nextEnvironmentalStatus(status))
    path.push(status);
  assert.deepEqual(path, ['recorded', 'allocated', 'funded', 'in_progress', 'delivered', 'verified']);
  for (const status of ENVIRONMENTAL_STATUSES.slice(0, -1)) {
    assert.equal(refusal(batch(status), { ...bea, changeType: 'advanced', projectId: 'prj_a' }), undefined, status);
    assert.equal(environmentalStatusAfter(status, 'advanced'), nextEnvironmentalStatus(status));
  }
  assert.equal(refusal(batch('verified'), { ...bea, changeType: 'advanced' }), 'not_possible');
});

test('settlements, section 4: a project that cannot deliver returns the batch to allocated, under another project', () => {
  for (const status of ENVIRONMENTAL_STATUSES) {
    const isPossible = ['allocated', 'funded', 'in_progress'].includes(status);
    const change = { ...ada, changeType: 'reallocated', projectId: 'prj_b' } as const;
    assert.equal(refusal(batch(status), change), isPossible ? undefined : 'not_possible', status);
    if (isPossible) assert.equal(refusal(batch(status), { ...change, projectId: 'prj_a' }), 'same_project', status);
  }
  assert.equal(environmentalStatusAfter('in_progress', 'reallocated'), 'allocated');
});

test('settlements, section 4: the first allocation names a project', () => {
  const recorded = batch('recorded', { projectId: null });
  assert.equal(refusal(recorded, { ...ada, changeType: 'advanced' }), 'missing');
  assert.equal(refusal(recorded, { ...ada, changeType: 'advanced', projectId: 'prj_a' }), undefined);
});

test('settlements, section 4: delay, evidence and correction leave the status as it is', () => {
  for (const status of ENVIRONMENTAL_STATUSES) {
    for (const changeType of ['delayed', 'evidence_added', 'corrected'] as const)
      assert.equal(environmentalStatusAfter(status, changeType), status);
    const late = refusal(batch(status), { ...ada, changeType: 'delayed', expectedDeliveryPeriod: '2027-Q2' });
    assert.equal(late, ['allocated', 'funded', 'in_progress'].includes(status) ? undefined : 'not_possible', status);
  }
  assert.equal(refusal(batch('funded'), { ...ada, changeType: 'delayed', expectedDeliveryPeriod: 'soon' }), 'wrong_form');
  for (const text of ['2027', '2027-Q1', '2027-12']) assert.ok(isDeliveryPeriod(text), text);
  for (const text of ['', '27', '2027-13', '2027-00', '2027-Q5', '2027-5', '2027-05-01', '2027\n'])
    assert.ok(!isDeliveryPeriod(text), text);
});

test('settlements, section 4: verified needs evidence and a second operator', () => {
  const verify = (facts: Partial<ImpactBatchFacts>, by: { operatorId: string }) =>
    refusal(batch('delivered', facts), { ...by, changeType: 'advanced' });
  assert.equal(verify({ evidenceCount: 0 }, bea), 'missing');
  assert.equal(verify({}, ada), 'second_operator_needed');
  assert.equal(verify({}, bea), undefined);
});

test('settlements, section 4: a verified batch takes no evidence, and another operator corrects its record', () => {
  const verified = batch('verified', { verifiedBy: 'op_bea' });
  assert.equal(refusal(verified, { ...ada, changeType: 'evidence_added' }), 'not_possible');
  assert.equal(refusal(verified, { ...bea, changeType: 'corrected' }), 'second_operator_needed');
  assert.equal(refusal(verified, { ...ada, changeType: 'corrected' }), undefined);
});

test('settlements, section 4: whatever is recorded in whatever order, nothing is verified without evidence and two operators', () => {
  const steps = fc.array(
    fc.record({ changeType: fc.constantFrom(...ENVIRONMENTAL_CHANGE_TYPES), operatorId: fc.constantFrom('op_ada', 'op_bea') }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (drawn) => {
      let facts: ImpactBatchFacts = {
        status: 'recorded',
        projectId: null,
        evidenceCount: 0,
        deliveredBy: null,
        verifiedBy: null,
      };
      for (const [n, step] of drawn.entries()) {
        const change = { ...step, projectId: `prj_${n}`, expectedDeliveryPeriod: '2027' };
        if (checkEnvironmentalChange(facts, change)) continue;
        const wasVerified = facts.status === 'verified';
        facts = factsAfter(facts, change);
        if (wasVerified) assert.equal(facts.status, 'verified');
      }
      if (facts.status === 'verified') assert.ok(facts.evidenceCount > 0 && facts.verifiedBy !== facts.deliveredBy);
    }),
    { numRuns: 500 },
  );
});
