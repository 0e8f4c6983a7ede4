/** Answers are compressed for who accepts it; what contains a secret is not, because the length of a compressed text tells of it. */
import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { OPEN_RATES, testService } from '../support/service.ts';

const service = await testService();
for (let number = 0; number < 12; number++) await createPartner(service.database, OWNER, `Partner ${number}`, OPEN_RATES);
const person = await signedInOperator(service, 'viewer');

async function get(path: string, accepted?: string) {
  const headers = { cookie: person.cookie, ...(accepted !== undefined && { 'accept-encoding': accepted }) };
  const sent = request({ port: service.operationsPort, path, headers }).end();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject));
  return { encoding: answer.headers['content-encoding'], vary: answer.headers.vary, bytes: await buffer(answer) };
}

const LIST = '/operator/v1/partners';

describe('an answer', () => {
  test('is the same text compressed, and shorter', async () => {
    const plain = await get(LIST);
    assert.deepEqual([plain.encoding, plain.vary], [undefined, 'accept-encoding']);
    const zipped = await get(LIST, 'gzip, deflate, br, zstd');
    assert.deepEqual([zipped.encoding, gunzipSync(zipped.bytes)], ['gzip', plain.bytes]);
    assert.ok(zipped.bytes.length < plain.bytes.length / 3, `${zipped.bytes.length} bytes`);
  });

  test('is left as it is for who refuses the encoding, and where it is short or has a secret', async () => {
    for (const accepted of ['identity', 'gzip;q=0', 'br', 'deflate'])
      assert.equal((await get(LIST, accepted)).encoding, undefined, accepted);
    assert.equal((await get(`${LIST}?name=nobody`, 'gzip')).encoding, undefined);
    assert.equal((await get('/operator/v1/session', 'gzip')).encoding, undefined);
  });
});
