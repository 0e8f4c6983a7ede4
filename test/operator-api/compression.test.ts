/** Answers are compressed for who accepts it; what contains a secret is not, because the length of a compressed text tells of it. */
import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { uniqueId } from '../support/client.ts';
import { Authenticator } from '../support/console/authenticator.ts';
import { type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { OPEN_RATES, testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
for (let number = 0; number < 12; number++) await createPartner(service.database, OWNER, `Partner ${number}`, OPEN_RATES);
const person = await signedInOperator(service, 'viewer');

async function read(sent: ClientRequest) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject));
  const { statusCode, headers } = answer;
  return { status: statusCode, encoding: headers['content-encoding'], vary: headers.vary, bytes: await buffer(answer) };
}

function get(path: string, accepted?: string, { cookie }: SignedInOperator = person) {
  const headers = { cookie, ...(accepted !== undefined && { 'accept-encoding': accepted }) };
  return read(request({ port: service.operationsPort, path, headers }).end());
}

/** By who accepts gzip. */
function post(path: string, { cookie, csrfToken }: SignedInOperator, body: object, key: string) {
  const headers = { cookie, 'x-csrf-token': csrfToken, 'content-type': 'application/json', 'idempotency-key': key };
  const options = { method: 'POST', port: service.operationsPort, path, headers: { ...headers, 'accept-encoding': 'gzip' } };
  return read(request(options).end(JSON.stringify(body)));
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

  test('is left as it is for who refuses the encoding, and where it is short', async () => {
    for (const accepted of ['identity', 'gzip;q=0', 'br', 'deflate'])
      assert.equal((await get(LIST, accepted)).encoding, undefined, accepted);
    assert.equal((await get(`${LIST}?name=nobody`, 'gzip')).encoding, undefined);
  });

  test('is left as it is where it tells a secret, also in a replay, though the same without the secret is compressed', async () => {
    const admin = await signedInOperator(service, 'admin');
    const { partner } = await service.newPartner();
    const receiver = await WebhookReceiver.open();
    const wanted = { partner_id: partner.partnerId, url: `${receiver.url}?${'x'.repeat(1_900)}` };
    const key = uniqueId('key');
    const [added, replayed] = [
      await post('/operator/v1/endpoints', admin, wanted, key),
      await post('/operator/v1/endpoints', admin, wanted, key),
    ];
    assert.deepEqual([added.status, added.encoding, replayed.encoding], [200, undefined, undefined]);
    assert.deepEqual(replayed.bytes, added.bytes);
    const { endpoint, secret } = JSON.parse(added.bytes.toString());
    assert.ok(secret.length > 0);
    const shown = await get(`${LIST}/${partner.partnerId}/endpoints/${endpoint.endpoint_id}`, 'gzip');
    assert.deepEqual(
      [shown.encoding, JSON.parse(gunzipSync(shown.bytes).toString()).endpoint_id],
      ['gzip', endpoint.endpoint_id],
    );
  });

  test('is left as it is where it belongs to the sign-in', async () => {
    const passkeys = '/operator/v1/session/passkeys';
    const headers = { origin: `http://localhost:${service.operationsPort}` };
    const owner = await signedInOperator(service, 'viewer');
    for (let number = 0; number < 10; number++) {
      const { challenge, options_json } = (await owner.post(`${passkeys}/begin`, undefined, headers)).body;
      const response_json = new Authenticator(headers.origin).create(options_json);
      const { status, text } = await owner.post(passkeys, { name: 'مفتاح'.repeat(20), challenge, response_json }, headers);
      assert.equal(status, 200, text);
    }
    const { encoding, bytes } = await get(passkeys, 'gzip', owner);
    assert.equal(encoding, undefined);
    // A shorter list is compressed.
    const shorter = `${LIST}?limit=8`;
    assert.ok(bytes.length > (await get(shorter)).bytes.length, `${bytes.length} bytes`);
    assert.equal((await get(shorter, 'gzip')).encoding, 'gzip');
  });
});
