/** The lines of answers and of runs say why, whatever was thrown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { PartnersLeftError } from '../../src/operations/for-each-partner.ts';
import { logAnswer, logRun, openAnswerLog } from '../../src/service/log-lines.ts';

const ANSWER = {
  correlationId: 'corr_1',
  partnerId: 'ptn_1',
  keyId: '0123456789AB',
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

test('answers without a valid key have lines, and beyond the limits a number of them once in ten seconds; a partner has all', () => {
  const lines: { status: number; times?: number; reason?: string }[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  let nowMs = 0;
  const log = openAnswerLog({ logger } as Parameters<typeof openAnswerLog>[0], () => nowMs);
  const wrongKey = { ...ANSWER, partnerId: undefined, keyId: undefined, status: 401, errorCode: 'unauthorized' };
  const refused = { ...wrongKey, status: 429, errorCode: 'rate_limited', limit: 'wrong_keys' as const };
  const linesOf = (status: number) => lines.filter((line) => line.status === status);
  for (let each = 0; each < 5_000; each++) log(refused);
  assert.deepEqual(
    linesOf(429).map(({ reason, times }) => [reason, times]),
    [['wrong_keys', 1]],
  );
  nowMs += 10_000;
  log(refused);
  assert.equal(linesOf(429)[1]?.times, 5_000);
  for (let each = 0; each < 200; each++) log(wrongKey);
  assert.equal(linesOf(401).length, 200);
  for (let each = 0; each < 5_000; each++) log({ ...wrongKey, status: 404, errorCode: 'invalid_request' });
  assert.ok(linesOf(404).length <= 1_200, `${linesOf(404).length}`);
  for (let each = 0; each < 5_000; each++) log({ ...ANSWER, status: 201, errorCode: undefined });
  assert.equal(linesOf(201).length, 5_000);
  for (let each = 0; each < 5_000; each++) log({ ...ANSWER, partnerId: undefined });
  assert.equal(linesOf(503).length, 5_000);
  for (let each = 0; each < 5_000; each++)
    log({ ...ANSWER, partnerId: undefined, keyId: undefined, limit: 'reference_in_flight', failure: 'busy' });
  assert.ok(linesOf(503).length <= 6_200, `${linesOf(503).length}`);
});

test('the line of a run that left partners has their number, and its error names them', () => {
  const lines: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const error = new PartnersLeftError('1 partner left out: the node is away.', [new Error('away')], new Set(['ptn_1']));
  const run = {
    job: { name: 'verify' },
    runNo: 1n,
    trigger: 'schedule',
    outcome: 'failed',
    correlationId: 'corr_1',
    milliseconds: 1,
  };
  logRun({ logger } as Parameters<typeof logRun>[0], { ...run, result: null, error, partnersLeft: 1 } as never);
  const { job, partners_left, err } = JSON.parse(lines.join(''));
  assert.deepEqual([job, partners_left], ['verify', 1]);
  assert.match(err.message, /^1 partner left out: the node is away\. Left: ptn_1\./);
});
