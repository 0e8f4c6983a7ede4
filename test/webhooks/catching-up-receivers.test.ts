/** The receivers of examples/ in other languages, while they catch up and while a handler fails. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { type ExactJson, stringifyExactJson } from '../../sdk/src/exact-json.ts';
import { failedEvent } from '../../sdk/src/testing.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { buildChangedGo, needsLanguage } from '../support/sample.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  answerAsFeed,
  EXAMPLES,
  type Example,
  FOLDER,
  failureOf,
  listen,
  listenAsFeed,
  startReceiver,
} from '../support/webhooks/example-receivers.ts';

const CHALLENGE = 'challenge-of-sixteen-or-more';
const challenge = stringifyExactJson({
  event_id: 'evt_12345678',
  event_type: 'webhook.endpoint.verification',
  sequence: null,
  data: { challenge: CHALLENGE },
});

const failures = (...sequences: bigint[]) => sequences.map((sequence) => ({ ...failedEvent(sequence), sequence }));

/** A feed that answers nothing before it is opened. */
function heldFeed(answer: RequestListener) {
  const held: (() => void)[] = [];
  const answers: ServerResponse[] = [];
  let isOpen = false;
  const listener: RequestListener = (request, response) => {
    answers.push(response);
    if (isOpen) answer(request, response);
    else held.push(() => answer(request, response));
  };
  const open = () => {
    isOpen = true;
    for (const each of held) each();
  };
  return { listener, open, isAsked: () => held.length > 0, isWaitedFor: () => answers.every(({ destroyed }) => !destroyed) };
}

/** Gives a request to the feed more time than a slow machine takes for what the test does meanwhile. */
function waitLonger(program: string): string {
  const changed = program.replace(/\b(timeout=|Timeout: |CURLOPT_TIMEOUT => )15\b/, (_whole, name) => `${name}200`);
  assert.notEqual(changed, program);
  return changed;
}

/** The command of a program of examples/ that waits longer for the feed. */
function patientCommand(name: string): readonly string[] {
  if (name === 'receiver.go') return [buildChangedGo('receiver', temporaryFolder('go'), waitLonger)];
  const copy = join(temporaryFolder('receiver'), name);
  writeFileSync(copy, waitLonger(readFileSync(join(ROOT, 'examples', name), 'utf8')));
  return [name === 'receiver.py' ? 'python3' : 'php', copy];
}

for (const name of ['receiver.py', 'receiver.go'])
  test(`examples/${name}: the challenge is answered and an event is stored while a catch-up waits for the feed`, {
    ...HANG_LIMIT,
    ...needsLanguage((EXAMPLES[name] as Example).language),
  }, async () => {
    const example = { ...(EXAMPLES[name] as Example), command: () => patientCommand(name) };
    const feed = heldFeed(answerAsFeed(failures(1n)));
    const { inbox, url, send } = await startReceiver(example, { BASE_URL: await listen(feed.listener) });
    await waitFor('request to the feed', feed.isAsked);
    const response = await fetch(url, { method: 'POST', body: challenge });
    assert.deepEqual(await response.json(), { challenge: CHALLENGE });
    await send(failedEvent(2n));
    assert.ok(feed.isWaitedFor(), 'the receiver gave the feed up first');
    feed.open();
    await waitFor('restoration of both', () => example.listRestorations(inbox).length === 2);
  });

/** receiver.php as a server, and as cron runs it on the same inbox, where it waits for the feed. */
async function startBesideCron(feed: ReturnType<typeof heldFeed>) {
  const inbox = temporaryFolder('receiver');
  const { send } = await startReceiver(EXAMPLES['receiver.php'] as Example, { INBOX: inbox, BASE_URL: await listenAsFeed() });
  const env = { ...process.env, INBOX: inbox, API_KEY: 'pi_sandbox_test', BASE_URL: await listen(feed.listener) };
  const [php = '', ...words] = patientCommand('receiver.php');
  const cron = spawn(php, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  after(() => cron.kill('SIGKILL'));
  await waitFor('request of cron to the feed', feed.isAsked);
  return { inbox, send, cron };
}

test('examples/receiver.php: the only worker answers while cron catches up, and cron handles what is stored meanwhile', {
  ...HANG_LIMIT,
  ...needsLanguage('php'),
}, async () => {
  const feed = heldFeed(answerAsFeed(failures(1n)));
  const { inbox, send, cron } = await startBesideCron(feed);
  for (const sequence of [2n, 3n]) await send(failedEvent(sequence));
  assert.ok(feed.isWaitedFor(), 'cron gave the feed up first');
  const ended = once(cron, 'exit');
  feed.open();
  assert.deepEqual(await ended, [0, null]);
  assert.equal(FOLDER.listRestorations(inbox).length, 3);
});

test('examples/receiver.php: cron handles the missing event that arrives while it waits for a feed that fails', {
  ...HANG_LIMIT,
  ...needsLanguage('php'),
}, async () => {
  const feed = heldFeed((_request, response) => void response.writeHead(503).end());
  const { inbox, send, cron } = await startBesideCron(feed);
  await send(failedEvent(1n));
  const ended = once(cron, 'exit');
  feed.open();
  assert.notDeepEqual(await ended, [0, null]);
  assert.equal(FOLDER.listRestorations(inbox).length, 1);
});

/** A failure whose handler fails in every language. */
const unreadable = () => {
  const event = failureOf(1n, 'event-1');
  return { ...event, sequence: 1n, data: { ...event.data, contribution: { partner_event_id: 7, points: 'none' } } };
};

for (const name of ['receiver.py', 'receiver.go'])
  test(`examples/${name}: while a handler fails, what waits behind its event is not fetched again`, {
    ...HANG_LIMIT,
    ...needsLanguage((EXAMPLES[name] as Example).language),
  }, async () => {
    const asked: string[] = [];
    const answer = answerAsFeed([unreadable(), ...failures(2n, 3n)]);
    const feed = await listen((request, response) => {
      asked.push(request.url ?? '');
      answer(request, response);
    });
    const { printed } = await startReceiver(EXAMPLES[name] as Example, { CATCH_UP_SECONDS: '1', BASE_URL: feed });
    const failed = name === 'receiver.py' ? /^Traceback/gm : /event 1: /g;
    await waitFor('third attempt', () => (printed().match(failed) ?? []).length > 2, printed);
    assert.deepEqual(asked, ['/v1/events?after_sequence=0&limit=500']);
  });

test('examples/receiver.php: while a handler fails, what waits behind its event is not fetched again', {
  ...HANG_LIMIT,
  ...needsLanguage('php'),
}, async () => {
  const asked: string[] = [];
  const answer = answerAsFeed([unreadable(), ...failures(2n, 3n)]);
  const feed = await listen((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  const env = { ...process.env, INBOX: temporaryFolder('receiver'), API_KEY: 'pi_sandbox_test', BASE_URL: feed };
  for (let run = 0; run < 2; run++) {
    const cron = spawn('php', [join(ROOT, 'examples/receiver.php')], { env, stdio: 'ignore' });
    const [status] = await once(cron, 'exit');
    assert.notEqual(status, 0);
  }
  assert.deepEqual(asked, ['/v1/events?after_sequence=0&limit=500']);
});

test('examples/receiver.py reads its stored events once after an update from the form with restorations by transaction_id', {
  ...HANG_LIMIT,
  ...needsLanguage('py'),
}, async () => {
  const example = EXAMPLES['receiver.py'] as Example;
  const INBOX = join(temporaryFolder('receiver'), 'inbox.db');
  example.storeAsBefore(INBOX, failureOf(1n, 'event-of-before'));
  const settings = { INBOX, BASE_URL: await listenAsFeed() };
  const { receiver } = await startReceiver(example, settings);
  const ended = once(receiver, 'exit');
  receiver.kill('SIGKILL');
  await ended;
  assert.equal(example.listRestorations(INBOX).length, 1);
  const database = new DatabaseSync(INBOX);
  // Whoever reads it fails.
  database.exec(`insert into event values ('evt_unreadable', 2, 'no JSON of impact.transaction.adjusted', 2)`);
  database.close();
  const { send } = await startReceiver(example, settings);
  await send(failedEvent(3n) as ExactJson & object);
  await waitFor('restoration of the later failure', () => example.listRestorations(INBOX).length === 2);
});

test('examples/receiver.py starts again after an update, a return to the form before, and the update once more', {
  ...HANG_LIMIT,
  ...needsLanguage('py'),
}, async () => {
  const example = EXAMPLES['receiver.py'] as Example;
  const INBOX = join(temporaryFolder('receiver'), 'inbox.db');
  const settings = { INBOX, BASE_URL: await listenAsFeed() };
  for (const sequence of [1n, 2n]) {
    example.storeAsBefore(INBOX, failureOf(sequence, `event-${sequence}-of-before`));
    const { receiver } = await startReceiver(example, settings);
    const ended = once(receiver, 'exit');
    receiver.kill('SIGKILL');
    await ended;
    assert.equal(example.listRestorations(INBOX).length, Number(sequence));
  }
});

for (const seconds of ['0', '-1'])
  test(`examples/receiver.py asks once and goes on with CATCH_UP_SECONDS=${seconds}`, {
    ...HANG_LIMIT,
    ...needsLanguage('py'),
  }, async () => {
    const example = EXAMPLES['receiver.py'] as Example;
    let asked = 0;
    const answer = answerAsFeed([]);
    const feed = await listen((request, response) => {
      asked += 1;
      answer(request, response);
    });
    const { inbox, send, printed } = await startReceiver(example, { CATCH_UP_SECONDS: seconds, BASE_URL: feed });
    await waitFor('request at the start', () => asked > 0);
    await send(failedEvent(1n));
    await waitFor('restoration', () => example.listRestorations(inbox).length === 1, printed);
    assert.deepEqual([asked, printed()], [1, '']);
  });

test('examples/receiver.php sends no key that has a line end', { ...HANG_LIMIT, ...needsLanguage('php') }, async () => {
  let asked = 0;
  const feed = await listen((_request, response) => {
    asked += 1;
    response.setHeader('Content-Type', 'application/json').end('{"events":[],"has_more":false}');
  });
  const API_KEY = 'pi_sandbox_test\r\nX-Other: header';
  const env = { ...process.env, INBOX: temporaryFolder('receiver'), API_KEY, BASE_URL: feed };
  const cron = spawn('php', [join(ROOT, 'examples/receiver.php')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = Promise.all([cron.stdout, cron.stderr].map((stream) => text(stream)));
  const [status] = await once(cron, 'exit');
  assert.deepEqual([status === 0, asked], [false, 0]);
  assert.doesNotMatch((await printed).join(''), /pi_sandbox/);
});
