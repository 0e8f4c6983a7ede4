/** The receivers of examples/ in other languages, whose inbox cannot be read or written. */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { failedEvent, signedRequest } from '../../sdk/src/testing.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { ROOT } from '../support/document-blocks.ts';
import { needsLanguage } from '../support/sample.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EXAMPLES, type Example, SECRET, startReceiver } from '../support/webhooks/example-receivers.ts';

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
