/** What a partner may do with points, and does next, after each error. Decisions, section 1, "The recovery verdict". */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeErrorCode, ERROR_CODE_NAMES } from '../../src/domain/error-codes.ts';
import { type RecoverableOperation, recoveryVerdict } from '../../src/domain/recovery-verdict.ts';
import { OPERATIONS, type OperationText } from '../../src/partner-api/openapi/openapi-operations.ts';

const recoverable = Object.entries<OperationText>(OPERATIONS).flatMap(([id, { recoverable: operation, errors }]) =>
  operation ? [{ id, operation, errors }] : [],
);

function nextStep(code: (typeof ERROR_CODE_NAMES)[number], operation: RecoverableOperation): string {
  return recoveryVerdict(code, operation).find(({ field }) => field === 'next_action')?.message ?? '';
}

for (const { id, operation, errors } of recoverable) {
  describe(id, () => {
    for (const code of errors) {
      test(`${code}: whether points may be restored, then one sentence on what to do`, () => {
        const { nextAction } = describeErrorCode(code);
        const verdict = recoveryVerdict(code, operation);
        const isFinal = code === 'contribution_final_failure';
        assert.deepEqual(
          verdict.map(({ field, code: said }) => [field, said]),
          [
            ['point_restoration', isFinal ? 'authorized' : 'not_authorized'],
            ...(nextAction === undefined ? [] : [['next_action', nextAction]]),
          ],
        );
        if (!isFinal) assert.doesNotMatch(verdict[0]?.message ?? '', /retry|again|send|look up/i);
      });
    }
  });
}

test('what is refused for good is never to be sent as it is', () => {
  for (const code of ['invalid_point_amount', 'invalid_request', 'partner_order_conflict', 'partner_event_conflict'] as const)
    assert.doesNotMatch(nextStep(code, 'confirm'), /\bsame (?:confirmation|request|payload)/, code);
  assert.match(nextStep('invalid_point_amount', 'confirm'), /ask the operator/);
});

test("a look-up's 404 sends the confirmation, its 429 and 503 the look-up", () => {
  assert.match(nextStep('contribution_not_found', 'lookup'), /^Send the original confirmation/);
  for (const code of ['rate_limited', 'internal_service_unavailable'] as const) {
    assert.match(nextStep(code, 'lookup'), /look up again|look-up again/i);
    assert.doesNotMatch(nextStep(code, 'lookup'), /confirmation/);
  }
});

test('no sentence speaks of another operation than the one that was called', () => {
  for (const code of ERROR_CODE_NAMES) {
    assert.doesNotMatch(nextStep(code, 'lookup'), /association/, code);
    assert.doesNotMatch(nextStep(code, 'confirm'), /association|send the look-up/, code);
  }
});
