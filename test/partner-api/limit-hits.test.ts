/** What the service bounds by itself: docs/operating.md, "Limits of the service", has each limit with its figure, and the metrics count it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { LIMITS } from '../../src/domain/limit-names.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { Client } from '../support/client.ts';
import { ROOT, readDocument } from '../support/document-blocks.ts';
import { testServiceProcesses } from '../support/service.ts';

const page = readDocument('docs/operating.md');
const [, table = ''] = /### Limits of the service\n(.+?)\n### /s.exec(page) ?? [];
const rows = [...table.matchAll(/^\| (.+?) \| (.+?) \| .+ \| (–|`.+`) \|$/gm)].slice(1);

/** A row of the page by its first words, its figure, and where the code has it. */
const FIGURES: readonly [of: string, figure: string, file: string, code: string][] = [
  ['a head', '16 KiB', 'src/partner-api/app.ts', 'HEADERS_MAX_BYTES = 16_384'],
  ['a head, from', '10 s', 'src/partner-api/app.ts', 'headersTimeout: 10_000'],
  ['a body', '64 KiB', 'src/partner-api/http/read-body.ts', 'BODY_MAX_BYTES = 65_536'],
  ['a body, from', '5 s', 'src/partner-api/http/request-time.ts', 'REQUEST_TIMEOUT_MS = 5_000'],
  ['chunks of a body', '1,024', 'src/partner-api/limits/limit-chunks.ts', 'CHUNKS_MAX = 1_024'],
  ['chunks of a body', '16 bytes', 'src/partner-api/limits/limit-chunks.ts', 'BYTES_OF_ONE_CHUNK = 16'],
  [
    'what is left of a body',
    '30 s',
    'src/partner-api/http/transfers/rest-of-bodies.ts',
    'REST_MAX = { ms: 30_000, bytes: LIST_LIMITS.bytes, slowMs: 5_000',
  ],
  ['the speed at which what is left', '32 MiB', 'src/partner-api/http/transfers/watched-transfer.ts', '32 * 1024 * 1024'],
  ['requests on a connection', '16', 'src/partner-api/http/connection-queue.ts', 'PIPELINED_MAX = 16'],
  ['an answer of which', '10 s', 'src/partner-api/http/connection-queue.ts', 'stalledMs: 10_000'],
  ['a connection without', '72 s', 'src/partner-api/app.ts', 'keepAliveTimeout: 72_000'],
  [
    'idle connections of an address',
    '256 for 5 s',
    'src/partner-api/http/idle-connections.ts',
    'perAddress: { max: 256, looks: 20 }',
  ],
  [
    'idle connections of an address',
    '4,096 for 1 s',
    'src/partner-api/http/idle-connections.ts',
    'inAll: { max: 4_096, looks: 4 }',
  ],
  ['lists of a partner', '2 and 16', 'src/partner-api/reconciliations/reconcile-settlement.ts', 'perPartner: 2, inAll: 16'],
  ['statements of a partner', '2 and 32', 'src/partner-api/settlements/get-settlement-statement.ts', 'perPartner: 2, inAll: 32'],
  ['a list or a statement, from', '30 s', 'src/partner-api/http/transfers/stream-bounds.ts', 'idleMs: 30_000'],
  ['the pace', '16 KiB a second', 'src/partner-api/http/transfers/watched-transfer.ts', 'PACE_MIN_BYTES_PER_SECOND = 16 * 1024'],
  ['the pace', 'after 30 s', 'src/partner-api/http/transfers/watched-transfer.ts', 'WAITED_UNPACED_MS = 30_000'],
  [
    'the speed',
    '32 MiB a second',
    'src/partner-api/http/transfers/watched-transfer.ts',
    'READ_MAX_BYTES_PER_SECOND = 32 * 1024 * 1024',
  ],
  ['a list or a statement in all', '15 min', 'src/partner-api/http/transfers/stream-bounds.ts', 'totalMs: 900_000'],
  ['connections that wait', '4,096', 'src/partner-api/http/listen.ts', 'BACKLOG = 4_096'],
  ['requests in flight before', '400,', 'src/partner-api/limits/shedding-order.ts', 'report: 400'],
  ['requests in flight before', '480,', 'src/partner-api/limits/shedding-order.ts', 'estimateWrite: 480'],
  ['requests in flight before', '560,', 'src/partner-api/limits/shedding-order.ts', 'estimateLookup: 560'],
  ['requests in flight before', '640,', 'src/partner-api/limits/shedding-order.ts', 'confirmation: 640'],
  ['requests in flight before', '4,096', 'src/partner-api/limits/shedding-order.ts', 'contributionLookup: 4_096'],
  ['requests in flight of one', '128', 'src/partner-api/limits/in-flight.ts', 'COUNTED_FOR_OTHERS_MAX = 128'],
  ['reads of operators', '4,', 'src/operator-api/shared-state.ts', 'READS = { atOnce: 4'],
  ['reads of operators', '256', 'src/operator-api/shared-state.ts', 'READS = { atOnce: 4, waitingMax: 256,'],
  ['reads of operators', '8 s', 'src/operator-api/shared-state.ts', 'waitingMax: 256, waitMaxMs: 8_000'],
  [
    "pages of operators' downloads",
    '2, and 1,024',
    'src/operator-api/shared-state.ts',
    'EXPORTS = { atOnce: 2, waitingMax: 1_024',
  ],
  ["pages of operators' downloads", '20 s', 'src/operator-api/shared-state.ts', 'waitingMax: 1_024, waitMaxMs: 20_000'],
  ['lists that operators upload', '2 and 8', 'src/operator-api/shared-state.ts', "name: 'lists', perPartner: 2, inAll: 8"],
  ['a file of evidence', '256 MiB', 'src/operator-api/http/hash-upload.ts', 'FILE_BYTES_MAX = 256 * 1024 * 1024'],
  ['a file of evidence', ', and 4', 'src/operator-api/http/hash-upload.ts', 'UPLOADS_MAX = 4'],
  ['verifications of', '2', 'src/operator-api/settlements/verification-runs.ts', 'RUNNING_MAX = 2'],
  ['wrong keys of an address', '200', 'src/partner-api/limits/failure-limit.ts', 'FAILURES_MAX = 200'],
  ['lines of the log', '20 a second, 1,200', 'src/service/log-lines.ts', 'perSecond: 20, capacity: 1_200'],
  ['files of the documentation', '32', 'src/partner-api/docs/serve-docs.ts', 'IN_FLIGHT_MAX = 32'],
  ['problems', '50', 'src/partner-api/validation/problems.ts', 'SHOWN_MAX = 50'],
  ['lines of a list', '1,000,000', 'src/domain/reconciliations/list-limits.ts', 'lines: 1_000_000'],
  ['malformed lines', '10,000', 'src/domain/reconciliations/list-limits.ts', 'malformedLines: 10_000'],
  ['bytes that a partner stores', '2 GiB', 'src/domain/quotas/partner-quota.ts', 'bytesPerDay: 2 * 1024 ** 3'],
  ['lists that a partner begins', '100', 'src/domain/quotas/partner-quota.ts', 'listsPerDay: 100'],
  ['changes that a partner', '60', 'src/partner-api/limits/endpoint-change-limit.ts', 'CHANGES_PER_MINUTE = 60'],
  ['connections of the four', 'four', 'src/service/start-partner-api.ts', 'CHANGES_POOL_SIZE = 4'],
  ['connections of the four', '2, and', 'src/operations/connections-per-partner.ts', 'AT_ONCE = 2'],
  ['connections of the four', '256', 'src/operations/connections-per-partner.ts', 'waitingMax: 256, waitMaxMs: 5_000'],
  ['endpoints that a partner', '10', 'src/partner-api/webhooks/create-webhook-endpoint.ts', 'CHALLENGES_PER_MINUTE = 10'],
  [
    'sign-ins at once',
    '4, and 256',
    'src/operator-api/shared-state.ts',
    'SIGN_INS = { atOnce: 4, waitingMax: 256, waitMaxMs: 20_000',
  ],
  ['endpoints that a partner adds in 24', '200', 'src/webhooks/endpoints/add-endpoint.ts', 'ADDITIONS_PER_DAY = 200'],
  ['samples', '60', 'src/webhooks/endpoints/send-samples.ts', 'SAMPLES_MAX = 60'],
  ['changes that a partner of', '600', 'src/partner-api/limits/sandbox-change-limit.ts', 'CHANGES_PER_MINUTE = 600'],
  ['slow answers', '16', 'src/partner-api/sandbox/play-scenario.ts', 'SLOW_MAX = 16'],
  ['new connections of an address', '64', 'src/partner-api/http/suspect-connections.ts', 'openedMax: 64'],
  ['connections that wait in this way', '8,192', 'src/partner-api/http/suspect-connections.ts', 'waitingMax: 8_192'],
  ['adding up', '1 s', 'src/operations/settlements/read-settlements.ts', 'turnMs: 1_000'],
  ['adding up', '10 s', 'src/operator-api/shared-state.ts', 'SUM_TURN_MS = 10_000'],
  ['files of evidence', '50', 'src/domain/impact/environmental-status.ts', 'EVIDENCE_MAX = 50'],
  ['an answer of the database', '5 s', 'src/partner-api/http/deadline.ts', 'DEADLINE_MS = 5_000'],
  ["a receiver's answer", '15 s', 'src/webhooks/delivery/send.ts', 'ANSWER_WITHIN_MS = 15_000'],
  ["a receiver's answer", '16 KiB', 'src/webhooks/delivery/send.ts', 'READ_MAX_BYTES = 16_384'],
  ["a receiver's answer", '128 KiB', 'src/webhooks/security/limit-answers.ts', 'ANSWER_MAX_BYTES = 131_072'],
  ["a receiver's answer", '2,048 pieces', 'src/webhooks/security/limit-answers.ts', 'ANSWER_MAX_READS = 2_048'],
];

describe('the page of the limits', () => {
  test('has the figures of the code', () => {
    for (const [of, figure, file, code] of FIGURES) {
      assert.ok(
        rows.some(([, name = '', limit = '']) => name.startsWith(of) && `${name} ${limit}`.includes(figure)),
        `${of}: ${figure}`,
      );
      assert.ok(readFileSync(join(ROOT, file), 'utf8').includes(code), `${file}: ${code}`);
    }
  });

  test('has no row without a figure that is held to the code, but the rates, which each partner has', () => {
    const unheld = rows.filter(([, name = '']) => !FIGURES.some(([of]) => name.startsWith(of))).map(([, name]) => name);
    assert.deepEqual(unheld, ['the same, of a request whose key was not known yet', "a partner's requests a second, by class"]);
  });

  test('has a row for each limit that is counted, and for no other', () => {
    const named = new Set(rows.flatMap(([, , , limits = '']) => [...limits.matchAll(/`(\w+)`/g)].map(([, limit]) => limit)));
    assert.deepEqual([...named].sort(), [...LIMITS].sort());
  });
});

const operationsPort = await freePort();
const service = await testServiceProcesses(1, { OPERATIONS_PORT: `${operationsPort}` });

async function readMetrics(): Promise<(line: string) => number> {
  const text = await (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text();
  return (line) =>
    Number(
      text
        .split('\n')
        .find((each) => each.startsWith(`${line} `))
        ?.slice(line.length),
    );
}

const hits = (limit: string) => `partner_impact_limit_hits_total{limit="${limit}"}`;

describe('the metrics count', () => {
  test('each limit from 0 on, so that an alert sees its first hit', async () => {
    const read = await readMetrics();
    assert.deepEqual(
      LIMITS.filter((limit) => Number.isNaN(read(hits(limit)))),
      [],
    );
  });

  test('connections that are open', async () => {
    const sockets = Array.from({ length: 5 }, () => connect(Number(new URL(service.baseUrl).port), '127.0.0.1'));
    // An answer on each: the service has accepted it.
    for (const socket of sockets) {
      socket.write('GET / HTTP/1.1\r\nHost: service\r\n\r\n');
      await once(socket, 'data');
    }
    assert.ok((await readMetrics())('partner_impact_connections') >= 5);
    for (const socket of sockets) socket.destroy();
  });

  test('requests that are not answered yet', async () => {
    const { client } = await service.newPartner();
    const inFlight = async () => (await readMetrics())('partner_impact_requests_in_flight');
    const answers = [1, 2, 3].map(() => client.confirm({}, { 'X-Sandbox-Scenario': 'slow;ms=8000' }));
    await waitFor('three requests in flight', async () => (await inFlight()) === 3);
    assert.deepEqual(
      (await Promise.all(answers)).map(({ status }) => status),
      [201, 201, 201],
    );
    await waitFor('none in flight', async () => (await inFlight()) === 0);
  });

  test("requests over a partner's rate", async () => {
    const { client } = await service.newPartner({ rates: { lookupsPerSecond: 1 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.findByEvent('event-of-nobody')));
    const refused = answers.filter(({ status }) => status === 429).length;
    assert.ok(refused > 0);
    assert.equal((await readMetrics())(hits('rate')), refused);
  });

  test('wrong keys past what an address may try', async () => {
    const guesser = new Client(service.baseUrl, 'pi_sandbox_wrong');
    let refused = 0;
    for (let tried = 0; tried < 205; tried++) if ((await guesser.listEvents()).status === 429) refused++;
    assert.equal(refused, 5);
    assert.equal((await readMetrics())(hits('wrong_keys')), refused);
  });

  test('bodies in too many small chunks', async () => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').on('error', () => {});
    socket.write('POST /v1/impact-transactions HTTP/1.1\r\nHost: service\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.write('1\r\na\r\n'.repeat(1_200));
    socket.resume();
    await once(socket, 'close');
    assert.equal((await readMetrics())(hits('request_chunks')), 1);
  });

  test('connections that are cut', async () => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').on('error', () => {});
    socket.write('GET /v1/events HTTP/1.1\r\nHost: service\r\n\r\n'.repeat(100));
    socket.resume();
    await once(socket, 'close');
    assert.equal((await readMetrics())(hits('connection_pipelined')), 1);
  });
});
