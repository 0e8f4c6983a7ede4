/** The receivers of examples/ in other languages, against deliveries of the service. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { constants, open } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { type ExactJson, stringifyExactJson } from '../../sdk/src/exact-json.ts';
import { confirmedEvent, failedEvent, signedRequest } from '../../sdk/src/testing.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { failPendingContribution } from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { removeOldEvents } from '../../src/operations/events/remove-old-events.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { untilSequenced } from '../support/records.ts';
import { insertContributionRule } from '../support/rules.ts';
import { buildGo, needsLanguage } from '../support/sample.ts';
import { OPEN_RATES, testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  answerAsFeed,
  EXAMPLES,
  type Example,
  FOLDER,
  failureOf,
  listen,
  listenAsFeed,
  SECRET,
  startReceiver,
} from '../support/webhooks/example-receivers.ts';
import { endpointTools, makeDue, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

for (const [name, example] of Object.entries(EXAMPLES))
  test(`examples/${name}: the challenge, each event once, in order, what it missed, a restoration once, killed, and events that are kept no more`, {
    ...HANG_LIMIT,
    ...needsLanguage(example.language),
  }, async () => {
    let made: Partner | undefined;
    const service = await testService({
      env: WEBHOOK_ENV,
      async prepare(database) {
        made = await createPartner(database, OWNER, 'Writes another language', OPEN_RATES);
        await insertContributionRule(database, { partnerId: made.partnerId, review_threshold: 1_000 });
      },
    });
    const { partner, client, key } = await service.newPartner({ of: made as unknown as Partner });
    const { partnerId } = partner;
    const PORT = String(await freePort());
    const url = `http://127.0.0.1:${PORT}/`;
    let INBOX = join(temporaryFolder('receiver'), 'inbox.db');
    let receiver: ChildProcess | undefined;
    after(() => receiver?.kill('SIGKILL'));
    const start = async (SECRETS = '') => {
      const settings = { PORT, INBOX, SECRETS, BASE_URL: service.baseUrl, API_KEY: key.apiKey };
      const [program = '', ...args] = example.command();
      const env = { ...process.env, ...settings, PYTHONDONTWRITEBYTECODE: '1' };
      receiver = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
      await waitFor('answer of the receiver', () => fetch(url).catch(() => undefined));
    };
    const kill = async () => {
      receiver?.kill('SIGKILL');
      if (receiver?.exitCode === null && receiver.signalCode === null) await once(receiver, 'exit');
    };

    await start();
    const { secret } = await addEndpoint(endpointTools(service.database), OWNER, { partnerId, url, eventTypes: [] });
    await client.confirm();
    await kill();
    // With `settlement.created`. Nothing is delivered again before its next attempt is due.
    await untilSequenced(service.database, partnerId, 2);
    await start(secret);
    await waitFor('event that is handled', () => example.countHandled(INBOX) === 2);

    const points = 9_007_199_254_740_993n;
    const { body } = await client.confirm({ points });
    const transactionId = body.contribution.transaction_id;
    await failPendingContribution(service.database, signedIn('operator'), { partnerId, transactionId }, 'test');
    const restorations = () => (existsSync(INBOX) ? example.listRestorations(INBOX) : []);
    await waitFor('restoration', async () => {
      await makeDue(service.database, partnerId);
      return restorations().length > 0;
    });
    const { partner_event_id } = body.contribution;
    const expected = [{ partner_event_id, transaction_id: transactionId, points: String(points) }];
    assert.deepEqual(restorations(), expected);

    for (const headers of [{}, { 'X-Service-Timestamp': '1', 'X-Service-Signature': `v1=${'0'.repeat(64)}` }]) {
      const response = await fetch(url, { method: 'POST', headers, body: example.readFailure(INBOX) });
      assert.equal(response.status, 401);
    }
    await kill();
    await start(secret);
    await waitFor('inbox without events that wait', () => example.countUnhandled(INBOX) === 0);
    assert.deepEqual(restorations(), expected);

    await kill();
    const old = "update event set occurred_at = now() - interval '91 days' where partner_id = $1 and sequence <= 2";
    await service.database.pool.query(old, [partnerId]);
    assert.equal(await removeOldEvents(service.database, 90), 2);
    INBOX = join(temporaryFolder('receiver'), 'inbox.db');
    await start(secret);
    await waitFor('restoration', () => restorations().length > 0);
    assert.deepEqual(restorations(), expected);
  });

for (const [name, example] of Object.entries(EXAMPLES))
  test(`examples/${name}: neither an event of an unknown kind nor a connection that sends nothing holds the next event up`, {
    ...HANG_LIMIT,
    ...needsLanguage(example.language),
  }, async () => {
    const service = await testService({ env: WEBHOOK_ENV });
    const { key } = await service.newPartner();
    const PORT = String(await freePort());
    const url = `http://127.0.0.1:${PORT}/`;
    const INBOX = join(temporaryFolder('receiver'), 'inbox.db');
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const settings = { PORT, INBOX, SECRETS: secret, START_AFTER: '1000', BASE_URL: service.baseUrl, API_KEY: key.apiKey };
    const [program = '', ...args] = example.command();
    const env = { ...process.env, ...settings, PYTHONDONTWRITEBYTECODE: '1' };
    const receiver = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    after(() => receiver.kill('SIGKILL'));
    await waitFor('answer of the receiver', () => fetch(url).catch(() => undefined));

    for (const text of ['', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n']) {
      const silent = connect(Number(PORT), '127.0.0.1').on('error', () => {});
      after(() => silent.destroy());
      await once(silent, 'connect');
      silent.write(text);
    }
    const data = { change: { from: 1 }, contribution: 'txn_12345678', challenge: 7, point_restoration_authorized: 'never' };
    const unknown = [
      confirmedEvent(1_001n, { event_type: 'something.new', data }),
      confirmedEvent(1_002n, { event_type: 'impact.transaction.adjusted', data: { ...data, change: 'something_new' } }),
    ];
    for (const event of [...unknown, failedEvent(1_003n, 250n)])
      assert.equal((await fetch(signedRequest({ secret, event, url }))).status, 200);
    await waitFor('restoration', () => example.listRestorations(INBOX).length > 0);
  });

for (const [name, example] of Object.entries(EXAMPLES))
  test(`examples/${name}: an event that comes again under another sequence, as after a restore of the service, holds no later event up`, {
    ...HANG_LIMIT,
    ...needsLanguage(example.language),
  }, async () => {
    const { inbox, send } = await startReceiver(example, { START_AFTER: '1000', BASE_URL: await listenAsFeed() });
    const event = failedEvent(1_001n, 250n);
    await send(event);
    await waitFor('restoration', () => example.listRestorations(inbox).length === 1);
    for (const again of [1_002n, 1_002n]) await send({ ...event, sequence: again });
    await send(failedEvent(1_003n, 251n));
    await waitFor('restoration of the later failure', () => example.listRestorations(inbox).length > 1);
    assert.deepEqual(
      example
        .listRestorations(inbox)
        .map((row) => (row as { points: string }).points)
        .sort(),
      ['250', '251'],
    );
  });

for (const [name, example] of Object.entries(EXAMPLES))
  test(`examples/${name}: a failure that has another transaction_id after a restore of the service gives points back once for its partner_event_id`, {
    ...HANG_LIMIT,
    ...needsLanguage(example.language),
  }, async () => {
    const { inbox, send } = await startReceiver(example, { START_AFTER: '1000', BASE_URL: await listenAsFeed() });
    // Ids that cannot be names of files.
    const [ofPosition, ofLongest] = ['position', 'x'.repeat(128)];
    const first = failureOf(1_001n, ofPosition);
    const events = [first, failureOf(1_002n, ofPosition), failureOf(1_003n, ofLongest)];
    for (const event of events) await send(event);
    await waitFor('restoration of the last failure', () =>
      example.listRestorations(inbox).some((row) => (row as { partner_event_id?: string }).partner_event_id === ofLongest),
    );
    const expected = [first, events[2] ?? first].map(({ data: { contribution } }) => ({
      partner_event_id: contribution.partner_event_id,
      transaction_id: contribution.transaction_id,
      points: '250',
    }));
    const sorted = (rows: object[]) => rows.map((row) => stringifyExactJson(row as ExactJson)).sort();
    assert.deepEqual(sorted(example.listRestorations(inbox)), sorted(expected));
  });

for (const [name, example] of Object.entries(EXAMPLES))
  test(`examples/${name}: a restoration that an earlier form made is not made again after a restore of the service, under the same transaction_id or another`, {
    ...HANG_LIMIT,
    ...needsLanguage(example.language),
  }, async () => {
    const INBOX = join(temporaryFolder('receiver'), 'inbox.db');
    const made = failureOf(1n, 'event-of-before');
    example.storeAsBefore(INBOX, made);
    const { inbox, send } = await startReceiver(example, { INBOX, BASE_URL: await listenAsFeed() });
    const listed = () =>
      (example.listRestorations(inbox) as { partner_event_id: string; transaction_id: string }[])
        .map((row) => [row.partner_event_id, row.transaction_id])
        .sort();
    const before = ['event-of-before', made.data.contribution.transaction_id];
    assert.deepEqual(listed(), [before]);
    const again = failureOf(2n, 'event-of-before');
    await send({ ...again, data: made.data });
    await send(failureOf(3n, 'event-of-before'));
    await send(failureOf(4n, 'event-of-after'));
    await waitFor('restoration of the later failure', () => listed().some(([id]) => id === 'event-of-after'));
    assert.deepEqual(listed()[1], before);
    assert.equal(listed().length, 2);
  });

for (const name of ['receiver.go', 'receiver.php'])
  test(`examples/${name}: a restoration that is stored by its transaction_id is not made again`, {
    ...HANG_LIMIT,
    ...needsLanguage(EXAMPLES[name]?.language ?? 'go'),
  }, async () => {
    const example = EXAMPLES[name] as Example;
    const inbox = temporaryFolder('receiver');
    const stored = failureOf(1n, 'event-of-before');
    writeFileSync(join(inbox, stored.data.contribution.transaction_id), '250');
    const { send } = await startReceiver(example, { INBOX: inbox, BASE_URL: await listenAsFeed() });
    await send(stored);
    await send(failureOf(2n, 'event-of-after'));
    await waitFor('restoration of the second failure', () => example.listRestorations(inbox).length > 0);
    assert.deepEqual(
      example.listRestorations(inbox).map((row) => (row as { partner_event_id: string }).partner_event_id),
      ['event-of-after'],
    );
  });

for (const [name, example] of Object.entries(EXAMPLES))
  test(`examples/${name}: the key goes to no address that a redirection names`, {
    ...HANG_LIMIT,
    ...needsLanguage(example.language),
  }, async () => {
    const asked = { service: 0, other: 0 };
    const other = await listen((_request, response) => {
      asked.other += 1;
      response.setHeader('Content-Type', 'application/json').end('{"events":[],"has_more":false}');
    });
    const service = await listen(({ url = '' }, response) => {
      asked.service += 1;
      response.writeHead(302, { Location: other + url }).end();
    });
    const PORT = String(await freePort());
    const INBOX = join(temporaryFolder('receiver'), 'inbox.db');
    const [program = '', ...args] = example.command();
    const settings = { PORT, INBOX, SECRETS: '', BASE_URL: service, API_KEY: 'pi_sandbox_test', CATCH_UP_SECONDS: '1' };
    const env = { ...process.env, ...settings, PYTHONDONTWRITEBYTECODE: '1' };
    const receiver = spawn(program, args, { env, stdio: 'ignore' });
    after(() => receiver.kill('SIGKILL'));
    // The first request has ended when the program ends, or asks once more.
    await waitFor('end of the first request', () => receiver.exitCode !== null || asked.service > 1);
    assert.equal(asked.other, 0);
    assert.notEqual(asked.service, 0);
  });

for (const name of Object.keys(EXAMPLES))
  test(`examples/${name}: of a page with a gap, as of removed events or after a restore of the service, the events before it are handled too, and both causes told`, {
    ...HANG_LIMIT,
    ...needsLanguage(EXAMPLES[name]?.language ?? 'go'),
  }, async () => {
    const example = EXAMPLES[name] as Example;
    const events = [1n, 2n, 1_000_003n].map((sequence) => ({ ...failedEvent(sequence), sequence }));
    const settings = { CATCH_UP_SECONDS: '1', BASE_URL: await listen(answerAsFeed(events)) };
    const { inbox, printed } = await startReceiver(example, settings);
    await waitFor('restoration of all three failures', () => example.listRestorations(inbox).length === 3);
    const told =
      'There are no events from 3 to 1000002: the service removed them after its time, or was restored and left the numbers out.';
    await waitFor('word of the gap', () => printed().includes(told), printed);
  });

for (const name of ['receiver.py', 'receiver.go'])
  test(`examples/${name}: what waits for an event before it is handled once the feed answers, without a further event or a start`, {
    ...HANG_LIMIT,
    ...needsLanguage(EXAMPLES[name]?.language ?? 'go'),
  }, async () => {
    const example = EXAMPLES[name] as Example;
    const events = [1_001n, 1_002n].map((sequence) => ({ ...failedEvent(sequence), sequence }));
    let [isUp, asked] = [false, 0];
    const answer = answerAsFeed(events);
    const feed = await listen((request, response) => {
      asked += 1;
      if (!isUp) return void request.socket.end('no HTTP\r\n\r\n');
      answer(request, response);
    });
    const settings = { START_AFTER: '1000', CATCH_UP_SECONDS: '1', BASE_URL: feed };
    const { inbox, send } = await startReceiver(example, settings);
    await waitFor('request at the start', () => asked > 0);
    const askedAtStart = asked;
    await send(events[1] as object);
    await waitFor('request for what is missing', () => asked > askedAtStart);
    assert.deepEqual(example.listRestorations(inbox), []);
    isUp = true;
    await waitFor('restoration of both', () => example.listRestorations(inbox).length === 2);
  });

test('examples/receiver.php handles what is stored although the feed does not answer', needsLanguage('php'), async () => {
  const inbox = temporaryFolder('receiver');
  writeFileSync(join(inbox, `${'1'.padStart(19, '0')}.json`), stringifyExactJson(failedEvent(1n) as ExactJson));
  const env = {
    ...process.env,
    INBOX: inbox,
    SECRETS: SECRET,
    API_KEY: 'pi_sandbox_test',
    BASE_URL: `http://127.0.0.1:${await freePort()}`,
  };
  const { status } = spawnSync('php', [join(ROOT, 'examples/receiver.php')], { env, timeout: 60_000 });
  assert.deepEqual([status === 0, FOLDER.listRestorations(inbox).length], [false, 1]);
});

test('examples/receiver.go ends with a sentence where INBOX names no folder', needsLanguage('go'), () => {
  const { INBOX: _, ...env } = process.env;
  const file = join(temporaryFolder('receiver'), 'file');
  writeFileSync(file, '');
  for (const settings of [{}, { INBOX: file }]) {
    const { status, stderr } = spawnSync(buildGo('receiver'), {
      env: { ...env, ...settings, PORT: '0' },
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.deepEqual([status, /INBOX must name the folder of the inbox: /.test(stderr)], [1, true], stderr);
  }
});

for (const [name, example] of Object.entries(EXAMPLES))
  test(`examples/${name}: an inbox of the sandbox takes no event of production, whose sequences begin at 1 again`, {
    ...HANG_LIMIT,
    ...needsLanguage(example.language),
  }, async () => {
    const INBOX = join(temporaryFolder('receiver'), 'inbox.db');
    // As an earlier form of the program left it.
    example.storeAsBefore(INBOX, failureOf(1n, 'event-of-before'));
    const ofProduction = (sequence: bigint) => ({ ...failedEvent(sequence), sequence, environment: 'production' });
    let asked = 0;
    const answer = answerAsFeed([ofProduction(3n)]);
    const feed = await listen((request, response) => {
      asked += 1;
      answer(request, response);
    });
    const settings = { INBOX, API_KEY: 'pi_live_test', BASE_URL: feed };
    // The run of cron fails: the feed has an event of production.
    const command = () => example.command().map((word) => word.replace('&& exec', '; exec'));
    const { url, send, printed } = await startReceiver({ ...example, command }, settings);
    for (const sequence of [1n, 2n]) {
      const { status } = await fetch(signedRequest({ secret: SECRET, event: ofProduction(sequence), url }));
      assert.equal(status, 400);
    }
    await waitFor('line of the log', () => printed().includes('is of production'), printed);
    await send({ ...failedEvent(2n), environment: 'sandbox' });
    await waitFor('restoration of the sandbox', () => example.listRestorations(INBOX).length === 2);
    assert.notEqual(asked, 0);
    assert.deepEqual([example.countHandled(INBOX), example.countUnhandled(INBOX)], [2, 0]);
  });

for (const name of ['receiver.go', 'receiver.php'])
  test(`examples/${name}: an inbox of the sandbox whose first events those of production replaced takes no event, and its restorations are taken over`, {
    ...HANG_LIMIT,
    ...needsLanguage(EXAMPLES[name]?.language ?? 'go'),
  }, async () => {
    const example = EXAMPLES[name] as Example;
    const INBOX = join(temporaryFolder('receiver'), 'inbox.db');
    const ofProduction = { ...failureOf(1n, 'event-of-production'), sequence: 1n, environment: 'production' };
    // As an earlier form of the program left it.
    example.storeAsBefore(INBOX, ofProduction);
    writeFileSync(
      join(INBOX, `${'2'.padStart(19, '0')}.json`),
      stringifyExactJson({ ...failedEvent(2n), environment: 'sandbox' }),
    );
    writeFileSync(join(INBOX, 'position'), '2');
    const { url, printed, receiver } = await startReceiver(example, { INBOX, BASE_URL: await listenAsFeed() });
    for (const environment of ['production', 'sandbox']) {
      const event = { ...failedEvent(3n), sequence: 3n, environment };
      assert.equal((await fetch(signedRequest({ secret: SECRET, event, url }))).status, 400);
      await waitFor(
        'line of the log',
        () => printed().includes(`is of ${environment}, and INBOX of production and sandbox`),
        printed,
      );
    }
    receiver.kill('SIGKILL');
    const restorations = example.listRestorations(INBOX);
    const next = join(temporaryFolder('receiver'), 'inbox.db');
    mkdirSync(next);
    for (const file of readdirSync(INBOX).filter((file) => /^(restored-|txn_)/.test(file)))
      copyFileSync(join(INBOX, file), join(next, file));
    const feed = await listen(answerAsFeed([{ ...ofProduction, sequence: 1n }]));
    const again = await startReceiver(example, { INBOX: next, BASE_URL: feed });
    await waitFor('handled event', () => example.countHandled(next) === 1, again.printed);
    assert.deepEqual(example.listRestorations(next), restorations);
    assert.equal(restorations.length, 1);
  });

test('examples/receiver.php: no second request enters the environment of an inbox while one does', {
  ...HANG_LIMIT,
  ...needsLanguage('php'),
}, async () => {
  const INBOX = join(temporaryFolder('receiver'), 'inbox.db');
  mkdirSync(INBOX);
  writeFileSync(join(INBOX, 'position'), '1');
  const stored = join(INBOX, `${'1'.padStart(19, '0')}.json`);
  assert.equal(spawnSync('mkfifo', [stored]).status, 0);
  const example = {
    ...(EXAMPLES['receiver.php'] as Example),
    command: () => ['sh', '-c', 'exec php -S "127.0.0.1:$PORT" "$0"', join(ROOT, 'examples/receiver.php')],
  };
  const { url, printed } = await startReceiver(example, { INBOX });
  const event = { ...failedEvent(2n), sequence: 2n, environment: 'production' };
  let answered: number | undefined;
  const answer = fetch(signedRequest({ secret: SECRET, event, url })).then(({ status }) => {
    answered = status;
    return status;
  });
  // The request reads the stored events, and waits for what this one holds. Without a reader it does not open.
  const first = await waitFor('reader of the stored event', () => {
    assert.equal(answered, undefined, printed());
    return open(stored, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
  });
  const second = spawnSync('flock', ['--nonblock', join(INBOX, 'environment-lock'), 'true']);
  await first.writeFile(stringifyExactJson({ ...failedEvent(1n), environment: 'sandbox' }));
  await first.close();
  assert.deepEqual([await answer, second.status], [400, 1]);
});
