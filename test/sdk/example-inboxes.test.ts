/** The receivers of examples/ in other languages, whose inbox cannot be read or written, and how they find its position. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stringifyExactJson } from '../../sdk/src/exact-json.ts';
import { failedEvent, signedRequest } from '../../sdk/src/testing.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { needsLanguage } from '../support/sample.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EXAMPLES, type Example, FOLDER, listenAsFeed, SECRET, startReceiver } from '../support/webhooks/example-receivers.ts';

/** An inbox of the sandbox that is a folder. */
function newInbox(): string {
  const inbox = temporaryFolder('receiver');
  writeFileSync(join(inbox, 'environment'), 'sandbox');
  return inbox;
}

const sandboxFailure = (sequence: bigint) => ({ ...failedEvent(sequence), sequence, environment: 'sandbox' });

/** receiver.php as a server without a php.ini, as an image of Docker has PHP: it displays errors. */
const DISPLAYING: Example = {
  ...(EXAMPLES['receiver.php'] as Example),
  command: () => ['sh', '-c', 'exec php -n -S "127.0.0.1:$PORT" "$0"', join(ROOT, 'examples/receiver.php')],
};

test('examples/receiver.php without a php.ini answers 500 to an event whose inbox is lost, and shows nothing of the error', {
  ...HANG_LIMIT,
  ...needsLanguage('php'),
}, async () => {
  const { inbox, url, printed } = await startReceiver(DISPLAYING, { INBOX: newInbox() });
  rmSync(inbox, { recursive: true });
  writeFileSync(inbox, '');
  const response = await fetch(signedRequest({ secret: SECRET, event: sandboxFailure(1n), url }));
  assert.deepEqual([response.status, await response.text()], [500, '']);
  assert.match(printed(), /INBOX must name the folder/);
});

test('examples/receiver.php without a php.ini answers 500 to an event that it cannot store, and leaves no part of its file', {
  ...HANG_LIMIT,
  ...needsLanguage('php'),
}, async () => {
  const { inbox, url } = await startReceiver(DISPLAYING, { INBOX: newInbox() });
  const file = join(inbox, `${'1'.padStart(19, '0')}.json`);
  const send = () => fetch(signedRequest({ secret: SECRET, event: sandboxFailure(1n), url }));
  mkdirSync(file);
  const response = await send();
  assert.deepEqual([response.status, await response.text()], [500, '']);
  assert.deepEqual(
    readdirSync(inbox).filter((name) => name.startsWith('new-')),
    [],
  );
  rmSync(file, { recursive: true });
  assert.equal((await send()).status, 200);
});

for (const name of ['receiver.go', 'receiver.php'])
  test(`examples/${name} handles nothing while its position cannot be read, and goes on when it can`, {
    ...HANG_LIMIT,
    ...needsLanguage((EXAMPLES[name] as Example).language),
  }, async () => {
    const example = name === 'receiver.php' ? DISPLAYING : (EXAMPLES[name] as Example);
    const settings = { INBOX: newInbox(), CATCH_UP_SECONDS: '3600', BASE_URL: await listenAsFeed() };
    const { inbox, send, printed } = await startReceiver(example, settings);
    mkdirSync(join(inbox, 'position'));
    await send(sandboxFailure(1n));
    await waitFor('word of the position', () => /position/.test(printed()), printed);
    assert.deepEqual(FOLDER.listRestorations(inbox), []);
    rmSync(join(inbox, 'position'), { recursive: true });
    await send(sandboxFailure(1n));
    await waitFor('restoration', () => FOLDER.listRestorations(inbox).length === 1, printed);
  });

test('examples/receiver.go handles no failure whose restoration cannot be looked for', {
  ...HANG_LIMIT,
  ...needsLanguage('go'),
}, async () => {
  const example = EXAMPLES['receiver.go'] as Example;
  const settings = { INBOX: newInbox(), CATCH_UP_SECONDS: '3600', BASE_URL: await listenAsFeed() };
  const { inbox, send, printed } = await startReceiver(example, settings);
  const event = sandboxFailure(1n);
  await send(event);
  await waitFor('restoration', () => example.countHandled(inbox) === 1, printed);
  const [restored = ''] = readdirSync(inbox).filter((name) => name.startsWith('restored-'));
  rmSync(join(inbox, restored));
  symlinkSync(restored, join(inbox, restored));
  await send({ ...event, sequence: 2n });
  await waitFor('end of the handler', () => example.countHandled(inbox) === 2 || printed().includes('event 2: '), printed);
  assert.equal(example.countHandled(inbox), 1);
});

/** Runs Python that has receiver.py as `receiver`. @returns What it printed as JSON. */
function runPython(program: string, INBOX: string): unknown {
  const script = `import json, os, sqlite3, sys\nsys.path.insert(0, sys.argv[1])\nimport receiver\n${program}`;
  const env = { ...process.env, INBOX, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout, stderr } = spawnSync('python3', ['-c', script, join(ROOT, 'examples')], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

test('examples/receiver.py handles no event that another process handled since it looked', needsLanguage('py'), () => {
  const inbox = join(temporaryFolder('receiver'), 'inbox.db');
  writeFileSync(`${inbox}.json`, stringifyExactJson(sandboxFailure(1n)));
  const printed = runPython(
    `
inbox = receiver.open_inbox(os.environ["INBOX"])
other = sqlite3.connect(os.environ["INBOX"], isolation_level=None)
with open(os.environ["INBOX"] + ".json") as file:
    receiver.store(inbox, "evt_1", 1, file.read())
def handle_before(statement):
    if statement == "begin immediate":
        other.execute("update event set handled_at = 1 where handled_at is null")
inbox.set_trace_callback(handle_before)
receiver.handle_next(inbox, 0)
print(json.dumps([other.execute("select handled_at from event").fetchall(), other.execute("select * from restored").fetchall()]))
`,
    inbox,
  );
  assert.deepEqual(printed, [[[1]], []]);
});

test('examples/receiver.py finds its position by an index, whatever number of events waits', needsLanguage('py'), () => {
  const plans = runPython(
    `
inbox = receiver.open_inbox(os.environ["INBOX"])
statements = []
inbox.set_trace_callback(statements.append)
receiver.position(inbox)
inbox.set_trace_callback(None)
print(json.dumps([row[3] for statement in statements for row in inbox.execute("explain query plan " + statement)]))
`,
    join(temporaryFolder('receiver'), 'inbox.db'),
  );
  assert.deepEqual(plans, ['SEARCH event USING INDEX handled_event']);
});
