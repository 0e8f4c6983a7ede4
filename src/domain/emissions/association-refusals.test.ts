import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ASSOCIATION_REFUSALS, type AssociationFacts, checkAssociation, rejectionOf } from './association-refusals.ts';

const EXPIRES_AT = new Date('2026-11-21T19:29:00.000Z');
const estimate = { partnerOrderRef: 'order-1', expiresAt: EXPIRES_AT, hasLink: false };
const fitting: AssociationFacts = {
  contributionStatus: 'confirmed',
  contributionOrderRef: 'order-1',
  contributionHasLink: false,
  estimate,
  decidedAt: new Date('2026-11-20T19:29:00.000Z'),
};

const codeFor = (facts: Partial<AssociationFacts>) => checkAssociation({ ...fitting, ...facts })?.code;

test('Estimate status: an estimate that is not expired and matches a confirmed contribution is associated', () => {
  assert.equal(checkAssociation(fitting), undefined);
});

test('associateEmissionsEstimate: the contribution must be confirmed', () => {
  assert.equal(codeFor({ contributionStatus: 'failed' }), 'contribution_final_failure');
  assert.equal(codeFor({ contributionStatus: 'pending' }), 'contribution_pending');
});

test('associateEmissionsEstimate, estimate_not_found: the partner has no such estimate', () => {
  assert.equal(codeFor({ estimate: undefined }), 'estimate_not_found');
});

test('associateEmissionsEstimate, association_conflict: either side has a link', () => {
  assert.equal(codeFor({ contributionHasLink: true }), 'association_conflict');
  assert.equal(codeFor({ estimate: { ...estimate, hasLink: true } }), 'association_conflict');
});

test('associateEmissionsEstimate, estimate_expired: at or past expires_at, to the millisecond', () => {
  assert.equal(codeFor({ decidedAt: new Date(EXPIRES_AT.getTime() - 1) }), undefined);
  assert.equal(codeFor({ decidedAt: EXPIRES_AT }), 'estimate_expired');
  assert.equal(codeFor({ decidedAt: new Date(EXPIRES_AT) }), 'estimate_expired');
  assert.equal(codeFor({ decidedAt: new Date(EXPIRES_AT.getTime() + 1) }), 'estimate_expired');
});

test('associateEmissionsEstimate, calculation_mismatch: the order references differ, in case too', () => {
  assert.equal(codeFor({ contributionOrderRef: 'order-2' }), 'calculation_mismatch');
  assert.equal(codeFor({ contributionOrderRef: 'ORDER-1' }), 'calculation_mismatch');
});

test('decisions, section 2: of several obstacles the first in order is named', () => {
  const linkedExpiredOther = { partnerOrderRef: 'order-2', expiresAt: new Date(0), hasLink: true };
  const inOrder: [Partial<AssociationFacts>, string][] = [
    [{ contributionStatus: 'failed', contributionHasLink: true, estimate: undefined }, 'contribution_final_failure'],
    [{ contributionStatus: 'pending', contributionHasLink: true, estimate: undefined }, 'contribution_pending'],
    [{ contributionHasLink: true, estimate: undefined }, 'estimate_not_found'],
    [{ estimate: linkedExpiredOther }, 'association_conflict'],
    [{ contributionHasLink: true, estimate: { ...linkedExpiredOther, hasLink: false } }, 'association_conflict'],
    [{ estimate: { ...linkedExpiredOther, hasLink: false } }, 'estimate_expired'],
  ];
  for (const [facts, code] of inOrder) assert.equal(codeFor(facts), code);
});

test('decisions, section 2: nothing is associated unless every condition holds', () => {
  const facts = fc.record({
    contributionStatus: fc.constantFrom('confirmed', 'pending', 'failed'),
    contributionOrderRef: fc.constantFrom('order-1', 'order-2'),
    contributionHasLink: fc.boolean(),
    estimate: fc.option(
      fc.record({
        partnerOrderRef: fc.constantFrom('order-1', 'order-2'),
        expiresAt: fc.constant(EXPIRES_AT),
        hasLink: fc.boolean(),
      }),
      { nil: undefined },
    ),
    decidedAt: fc.integer({ min: -2, max: 2 }).map((offset) => new Date(EXPIRES_AT.getTime() + offset)),
  }) as fc.Arbitrary<AssociationFacts>;
  fc.assert(
    fc.property(facts, (given) => {
      const isFree = given.contributionStatus === 'confirmed' && !given.contributionHasLink && given.estimate?.hasLink === false;
      const isTimely = given.estimate !== undefined && given.decidedAt.getTime() < given.estimate.expiresAt.getTime();
      const isSameOrder = given.estimate?.partnerOrderRef === given.contributionOrderRef;
      assert.equal(checkAssociation(given) === undefined, isFree && isTimely && isSameOrder);
    }),
    { numRuns: 500 },
  );
});

test('Association outcome, rejected: calculation_id is echoed only when it is well formed', () => {
  assert.deepEqual(rejectionOf('estimate_expired', 'calc_0001'), {
    code: 'estimate_expired',
    message: ASSOCIATION_REFUSALS.estimate_expired,
    calculationId: 'calc_0001',
  });
  for (const value of ['short', 'calc 0001', 'c'.repeat(129), 5n, null, { a: 'calc_0001' }]) {
    assert.equal(rejectionOf('estimate_not_found', value).calculationId, null);
  }
});

test('Errors, error.message: every refusal is one sentence, names a next step, and does not speak of points', () => {
  for (const [code, message] of Object.entries(ASSOCIATION_REFUSALS)) {
    assert.match(message, /^[A-Z][^.]*\.$/, code);
    assert.match(message, /; .*\b(check|create|look|wait|associate|say what to do next)\b/, code);
    assert.doesNotMatch(message, /point/i, code);
  }
});
