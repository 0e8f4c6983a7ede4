/** The line of an answer says why its outcome is unknown, whatever was thrown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { logAnswer } from '../../src/service/log-lines.ts';

const ANSWER = {
  correlationId: 'corr_1',
  partnerId: 'ptn_1',
  operation: 'confirmContribution',
  status: 503,
  errorCode: 'internal_service_unavailable',
  limit: undefined,
  durationMs: 1.26,
};

function causeOf(answer: object): unknown {
  const lines: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  logAnswer({ logger } as Parameters<typeof logAnswer>[0], { ...ANSWER, ...answer });
  return JSON.parse(lines.join('')).cause;
}

test('the cause is the error at the bottom', () => {
  const bottom = new Error('the socket closed');
  const failure = new Error('unknown', { cause: new Error('the statement failed', { cause: bottom }) });
  assert.equal(causeOf({ failure }), 'the socket closed');
  assert.equal(causeOf({}), undefined);
});

test('what is thrown may be no error, and a cause none', () => {
  assert.equal(causeOf({ failure: new Error('unknown', { cause: null }) }), 'unknown');
  assert.deepEqual([causeOf({ failure: null }), causeOf({ failure: 'a text' })], ['null', 'a text']);
});
