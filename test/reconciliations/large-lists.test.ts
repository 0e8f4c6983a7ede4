/**
 * Lists that are larger than a list may be, and what their senders get (settlements, section 2). They depend on no table, and so are tested
 * on one PostgreSQL alone.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIST_LIMITS } from '../../src/domain/reconciliations/list-limits.ts';
import { SERVICE_ROLES } from '../../src/service/role.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import {
  HEADER,
  newReconciledPartner,
  openUpload,
  type ReconciledPartner,
  sendList,
  toCsv,
  untilEnded,
} from '../support/reconciliations/partner-lists.ts';
import { testService } from '../support/service.ts';

const service = await testService({ roles: SERVICE_ROLES });
const { database } = service;
const withSettlements = (count?: number) => newReconciledPartner(service, count);

test('a replayed key reads no more bytes than a list may have', HANG_LIMIT, async () => {
  const of = await withSettlements(1);
  const key = uniqueId('key');
  await untilEnded(of.client, await sendList(of.client, of.path, toCsv(of.sent), { 'idempotency-key': key }));
  const request = openUpload(of, { key });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  const megabyte = Buffer.alloc(1 << 20, '\n');
  for (let sent = 0; sent <= LIST_LIMITS.bytes; sent += megabyte.length)
    await new Promise((resolve) => request.write(megabyte, resolve));
  const [response] = await answered;
  assert.equal(response.statusCode, 413);
  assert.equal(JSON.parse(await text(response)).error.details[0].code, 'too_many_bytes');
  request.destroy();
});

describe('a list costs a bounded amount of work', HANG_LIMIT, () => {
  const MEGABYTE = 1_000_000;

  for (const [name, list, code] of [
    ['blank lines', HEADER + '\n'.repeat(MEGABYTE), 'too_many_blank_lines'],
    ['malformed rows', HEADER + 'x\n'.repeat(MEGABYTE / 2), 'too_many_malformed_lines'],
  ] as const) {
    test(`a megabyte of ${name} is refused by its form, others are answered meanwhile, and nothing is kept`, async () => {
      const { client, path, partnerId, sent } = await withSettlements(1);
      const { client: other } = await service.newPartner();
      const headers = { 'idempotency-key': uniqueId('key') };
      let isAnswered = false;
      const answer = sendList(client, path, list, headers).finally(() => {
        isAnswered = true;
      });
      let othersAnswers = 0;
      while (!isAnswered) {
        assert.equal((await other.findByEvent('event-of-nobody')).status, 404);
        othersAnswers++;
      }
      assert.ok(othersAnswers > 0);
      const { status, body } = await answer;
      assert.deepEqual([status, body.error.details?.[0]?.code], [400, code], body.error.message);
      for (const table of ['reconciliation', 'reconciliation_line']) {
        const { rows } = await database.pool.query(`select from ${table} where partner_id = $1`, [partnerId]);
        assert.equal(rows.length, 0, table);
      }
      assert.equal((await sendList(client, path, toCsv(sent), headers)).status, 202);
    });
  }
});

/**
 * Sends the whole list before it reads a byte of the answer, as many HTTP clients do, and ends its side of the connection.
 *
 * @param list With a pause before its second part, which is longer than the service waits for it with the answer.
 */
async function sendThenRead(
  { client, path }: Pick<ReconciledPartner, 'client' | 'path'>,
  list: readonly Buffer[],
  headers: object,
) {
  const { hostname, port, host } = new URL(service.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  const lines = Object.entries({
    host,
    ...(list.length === 1 && { connection: 'close' }),
    'x-api-key': client.apiKey,
    'idempotency-key': uniqueId('key'),
    'content-type': 'text/csv',
    'content-length': list.reduce((sum, { byteLength }) => sum + byteLength, 0),
    ...headers,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`);
  socket.pause();
  const failed = new Promise<never>((_resolve, reject) => socket.on('error', reject));
  socket.write(`POST ${path}/reconciliations HTTP/1.1\r\n${lines.join('')}\r\n`);
  for (const [index, part] of list.entries()) {
    if (index > 0) await sleep(1_500);
    await Promise.race([failed, new Promise((resolve) => socket.write(part, resolve))]);
  }
  socket.end();
  const answer = await text(socket);
  return { status: Number(answer.split(' ')[1]), answer };
}

describe(
  'a refused list of many megabytes gets its answer, though its sender reads only after it has sent it',
  HANG_LIMIT,
  () => {
    const rest = Buffer.alloc(20 << 20, 'x,1\n');
    const withHeader = (header: string) => [Buffer.concat([Buffer.from(header), rest])];

    test('a column is missing, another media type, compressed, an open or unknown settlement', async () => {
      const of = await withSettlements(1);
      const unknown = { ...of, path: '/v1/settlements/stl_unknown' };
      const cases = [
        [of, withHeader('partner_event_id,partner_order_ref\n'), {}, 400, 'missing_column'],
        [of, withHeader(HEADER), { 'content-type': 'text/plain' }, 415, 'unsupported_value'],
        [of, withHeader(HEADER), { 'content-encoding': 'gzip' }, 415, 'unsupported_value'],
        [unknown, withHeader(HEADER), {}, 404, 'not_found'],
      ] as const;
      for (const [to, list, headers, status, code] of cases) {
        const answer = await sendThenRead(to, list, headers);
        assert.deepEqual([answer.status, answer.answer.includes(code)], [status, true], answer.answer);
      }
    });

    test('it pauses between two parts', async () => {
      const of = await withSettlements(1);
      const unknown = { ...of, path: '/v1/settlements/stl_unknown' };
      for (const size of ['content-length', 'chunks']) {
        const parts = [Buffer.from(HEADER), rest];
        const framed = parts.map((part) =>
          Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
        );
        const headers = size === 'chunks' ? { 'content-length': undefined, 'transfer-encoding': 'chunked' } : {};
        const { status, answer } = await sendThenRead(
          unknown,
          size === 'chunks' ? [...framed, Buffer.from('0\r\n\r\n')] : parts,
          headers,
        );
        assert.equal(status, 404, `${size}: ${answer}`);
      }
    });

    test('it has more lines than a list may have', async () => {
      const of = await withSettlements(1);
      const lines = Buffer.from(`${HEADER}${'event-of-nobody,order-of-nobody,1\n'.repeat(LIST_LIMITS.lines + 200_000)}`);
      const { status, answer } = await sendThenRead(of, [lines], {});
      assert.deepEqual([status, answer.includes('too_many_lines')], [413, true], answer);
    });

    test('another list is under way', async () => {
      const of = await withSettlements(1);
      const request = openUpload(of);
      request.write(HEADER);
      const isReceiving = async () =>
        (await database.pool.query("select from reconciliation where partner_id = $1 and status = 'receiving'", [of.partnerId]))
          .rows.length === 1;
      await waitFor('list that is received', isReceiving);
      const { status, answer } = await sendThenRead(of, withHeader(HEADER), {});
      assert.equal(status, 429, answer);
      request.destroy();
    });
  },
);
