/** `partner-impact endpoint`, `event` and `delivery`: what operators see of what partners are told. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine } from '../support/command-line.ts';
import { untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const { run, runJson } = commandLine({ ...WEBHOOK_ENV, DATABASE_URL: service.databaseUrl });

async function withEndpoint() {
  const { partner, client } = await service.newPartner();
  const receiver = await WebhookReceiver.open();
  const { partnerId } = partner;
  // `settlement.created`, with sequence 1, is from before the endpoint.
  await untilSequenced(database, partnerId, 1);
  const added = await runJson('endpoint', 'add', '--partner', partnerId, '--url', receiver.url);
  return { partnerId, client, receiver, added, endpointId: added.endpoint_id as string };
}

describe('endpoints', HANG_LIMIT, () => {
  test('add: an object with endpoint_id and secret, which nothing shows again', async () => {
    const { partnerId, added, endpointId } = await withEndpoint();
    assert.deepEqual(Object.keys(added), ['endpoint_id', 'url', 'secret']);
    assert.match(added.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await run(['endpoint', 'list', '--partner', partnerId, '--json']);
    const shown = await run(['endpoint', 'show', '--partner', partnerId, '--endpoint', endpointId]);
    assert.ok(listed.stdout.includes(endpointId) && shown.stdout.includes(endpointId));
    assert.ok(!(listed.stdout + shown.stdout).includes(added.secret));
  });

  test('add: a refusal says what is wrong and what would be right, and nothing is stored', async () => {
    const { partner } = await service.newPartner();
    const add = (...more: string[]) => run(['endpoint', 'add', '--partner', partner.partnerId, ...more]);
    const guarded = { WEBHOOK_ALLOW_INSECURE: 'false' };
    const { partnerId } = partner;
    const args = ['endpoint', 'add', '--partner', partnerId, '--url', 'https://127.0.0.1/hook'];
    const cases: [outcome: Promise<{ code: number; stdout: string; stderr: string }>, words: RegExp, code?: number][] = [
      [
        run(args, guarded),
        /loopback address\. Give an https address of a public host\. .*set WEBHOOK_ALLOW_INSECURE=true for the service and for this command\. Nothing was stored/,
      ],
      [
        add('--url', 'http://127.0.0.1:1/', '--allow-port', '1'),
        /the connection was refused\. Start the receiver, .*webhook listen.* Nothing was stored/,
        1,
      ],
      [add('--url', 'http://127.0.0.1:2/'), /port is 2, .*`endpoint add --allow-port 2`\. Nothing was stored/],
      [add('--url', 'no address'), /https/],
      [add('--url', 'https://example.com/', '--events', 'sun.rise'), /no event type sun\.rise\. The types are impact/],
      [run(['endpoint', 'add', '--partner', 'ptn_unknown1', '--url', 'https://example.com/']), /no partner ptn_unknown1/],
    ];
    for (const [outcome, words, expectedCode = 2] of cases) {
      const { code, stdout, stderr } = await outcome;
      assert.deepEqual([code, stdout], [expectedCode, '']);
      assert.match(stderr, words);
    }
    assert.deepEqual(await runJson('endpoint', 'list', '--partner', partnerId), []);
  });

  test('disable, enable, update, rotate-secret and remove', async () => {
    const { partnerId, endpointId, added } = await withEndpoint();
    const on = (command: string, ...more: string[]) =>
      runJson('endpoint', command, '--partner', partnerId, '--endpoint', endpointId, ...more);
    assert.equal((await on('disable')).status, 'disabled');
    assert.equal((await on('enable')).status, 'active');
    assert.deepEqual((await on('update', '--events', 'settlement.closed')).event_types, ['settlement.closed']);
    assert.deepEqual((await on('update', '--events', 'all')).event_types, []);
    const unsaid = await run(['endpoint', 'update', '--partner', partnerId, '--endpoint', endpointId]);
    assert.ok(unsaid.code !== 0 && unsaid.stderr.includes('--events'), unsaid.stderr);
    const first = await on('rotate-secret');
    const second = await run(['endpoint', 'rotate-secret', '--partner', partnerId, '--endpoint', endpointId]);
    assert.ok(second.code !== 0 && second.stderr.includes('--replace'), second.stderr);
    // The receiver may verify by the second secret already.
    const unasked = ['endpoint', 'rotate-secret', '--partner', partnerId, '--endpoint', endpointId, '--replace'];
    const asked = await run(unasked);
    assert.deepEqual([asked.code, asked.stdout], [2, '']);
    assert.match(asked.stderr, new RegExp(`End the new secret of the endpoint ${endpointId}, .*cannot be undone.*--yes`));
    const { secret } = await on('rotate-secret', '--replace', '--yes');
    assert.notEqual(secret, first.secret);
    assert.ok(secret !== added.secret && secret.startsWith('whsec_'));
    // A new secret and the end of the old one are two steps: the partner has to install the new one between them.
    const atOnce = ['rotate-secret', '--partner', partnerId, '--endpoint', endpointId, '--activate', '--replace', '--yes'];
    const both = await run(['endpoint', ...atOnce]);
    assert.equal(both.code, 2);
    assert.match(both.stderr, /'--activate' cannot be used with option '--replace'/);
    assert.equal((await on('rotate-secret', '--activate', '--yes')).secret_rotates_at, null);
    assert.equal((await on('remove', '--yes')).status, 'removed');
    assert.deepEqual(await runJson('endpoint', 'list', '--partner', partnerId), []);
  });

  test('show: when the old secret ends, and no longer when it has ended', async () => {
    const { partnerId, endpointId } = await withEndpoint();
    const show = () => runJson('endpoint', 'show', '--partner', partnerId, '--endpoint', endpointId);
    await runJson('endpoint', 'rotate-secret', '--partner', partnerId, '--endpoint', endpointId);
    assert.ok((await show()).secret_rotates_at);
    await database.pool.query('update webhook_endpoint set next_secret_from = now() where endpoint_id = $1', [endpointId]);
    assert.equal((await show()).secret_rotates_at, null);
  });

  test('test: what the receiver answered, with exit code 1 when that is no success', async () => {
    const { partnerId, endpointId, receiver } = await withEndpoint();
    const sent = await runJson('endpoint', 'test', '--partner', partnerId, '--endpoint', endpointId);
    assert.deepEqual([sent.delivered, sent.status, sent.excerpt], [true, 200, 'noted']);
    receiver.answer = (response) => void response.writeHead(503).end('\x1b[31mdown');
    const failed = await run(['endpoint', 'test', '--partner', partnerId, '--endpoint', endpointId]);
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /^Not delivered: it answered 503, after \d+ ms\./);
    assert.ok(!failed.stdout.includes('\x1b'), 'what a receiver writes does not reach the terminal as it is');
    receiver.answer = (response) => void response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
    const redirected = await run(['endpoint', 'test', '--partner', partnerId, '--endpoint', endpointId]);
    assert.match(redirected.stdout, /^Not delivered: it answered 302, and redirects are not followed, after \d+ ms\./);
  });
});

describe('events and deliveries', HANG_LIMIT, () => {
  test('event list and show: the bodies byte for byte', async () => {
    const { partnerId, client, receiver } = await withEndpoint();
    for (let count = 0; count < 3; count++) await client.confirm({ points: 9_223_372_036_854_775_807n });
    const [first] = await receiver.until(3);
    const listed = await run(['event', 'list', '--partner', partnerId, '--after-sequence', '1', '--json']);
    assert.equal(
      listed.stdout,
      `[${receiver.arrived
        .map(({ body }) => body.toString())
        .sort(bySequence)
        .join(',')}]\n`,
    );
    const page = await run(['event', 'list', '--partner', partnerId, '--after-sequence', '1', '--limit', '2']);
    assert.match(page.stdout, /There is more: repeat the command with --after-sequence 3\n/);
    const rest = await run(['event', 'list', '--partner', partnerId, '--after-sequence', '3', '--json']);
    assert.equal(JSON.parse(rest.stdout).length, 1);
    const eventId = first?.event.event_id;
    const shown = await run(['event', 'show', '--partner', partnerId, '--event-id', eventId, '--json']);
    assert.equal(shown.stdout, `${first?.body}\n`);
    await untilDeliveries(database, partnerId, (all) => all.length === 3 && all.every(({ status }) => status === 'delivered'));
    const forPeople = await run(['event', 'show', '--partner', partnerId, '--event-id', eventId]);
    assert.match(forPeople.stdout, /dlv_.* delivered +1 +event/);
    const unknown = await run(['event', 'show', '--partner', partnerId, '--event-id', 'evt_unknown1']);
    assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
    assert.match(unknown.stderr, /^The partner ptn_\w+ has no event evt_unknown1\. `event list --partner ID` shows all\.$/m);
  });

  test('delivery list, show, resend and recover', async () => {
    const { partnerId, client, receiver, endpointId } = await withEndpoint();
    receiver.putOff();
    await client.confirm();
    await untilDeliveries(database, partnerId, ([delivery]) => delivery?.attempts === 1);
    await database.pool.query("update delivery set status = 'exhausted', ended_at = now() where partner_id = $1", [partnerId]);
    const [exhausted] = await runJson('delivery', 'list', '--partner', partnerId, '--status', 'exhausted');
    assert.deepEqual([exhausted.endpoint_id, exhausted.attempts, exhausted.sequence], [endpointId, 1, 2]);
    assert.deepEqual(await runJson('delivery', 'list', '--partner', partnerId, '--endpoint', endpointId), [exhausted]);
    assert.deepEqual(await runJson('delivery', 'list', '--partner', partnerId, '--status', 'delivered'), []);
    receiver.answerWith(200);
    const recovered = await runJson('delivery', 'recover', '--partner', partnerId, '--endpoint', endpointId);
    assert.deepEqual(recovered, { endpoint_id: endpointId, recovered: 1 });
    await untilDeliveries(database, partnerId, ([delivery]) => delivery?.status === 'delivered');
    const of = ['--partner', partnerId, '--delivery', exhausted.delivery_id];
    assert.equal((await runJson('delivery', 'resend', ...of)).trigger, 'resend');
    await receiver.until(3);
    await untilDeliveries(database, partnerId, ([delivery]) => delivery?.attempts === 3);
    const shown = await runJson('delivery', 'show', ...of);
    assert.deepEqual(
      shown.log.map(({ trigger, status }: { trigger: string; status: number }) => [trigger, status]),
      [
        ['event', 503],
        ['recover', 200],
        ['resend', 200],
      ],
    );
    receiver.answer = (response) => void response.socket?.destroy();
    await runJson('delivery', 'resend', ...of);
    await untilDeliveries(database, partnerId, ([delivery]) => delivery?.attempts === 4);
    assert.match((await run(['delivery', 'show', ...of])).stdout, /^4 .+ resend +reset +\d+ +the connection was reset$/m);
    const missed = ['delivery', 'recover', '--missing', '--partner', partnerId, '--endpoint', endpointId];
    for (const count of ['1 missing delivery is', '0 missing deliveries are']) {
      const missing = await run(missed);
      assert.match(missing.stdout, new RegExp(`^${count} sent by the running service\\.$`, 'm'));
    }
    await runJson('endpoint', 'disable', '--partner', partnerId, '--endpoint', endpointId);
    const held = await run(['delivery', 'recover', '--partner', partnerId, '--endpoint', endpointId]);
    assert.match(held.stdout, /^0 exhausted deliveries are sent once their endpoint is enabled\.$/m);
    for (const wrong of [
      ['--since', 'yesterday'],
      ['--since', '2999-01-01T00:00:00Z'],
    ]) {
      const { code, stderr } = await run(['delivery', 'recover', '--partner', partnerId, '--endpoint', endpointId, ...wrong]);
      assert.equal(code, 2);
      assert.match(stderr, /--since/);
    }
  });
});

function bySequence(a: string, b: string): number {
  return JSON.parse(a).sequence - JSON.parse(b).sequence;
}
