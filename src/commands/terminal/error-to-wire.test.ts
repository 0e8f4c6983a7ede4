import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { CommitUnknownError } from '../../store/transaction.ts';
import { messageOf } from './error-to-wire.ts';

function refusalOfCoordinator(words: string): Error {
  return new pg.DatabaseError(
    `connection to the remote node impact@worker-1:5432 failed with the following error: ${words}`,
    0,
    'error',
  );
}

test('who meets a session that a worker ended repeats the command, and replaces no worker', () => {
  assert.match(
    messageOf(refusalOfCoordinator('connection not open')),
    /^A worker of the database ended a session .* Repeat it\. /,
  );
  assert.match(messageOf(refusalOfCoordinator('Connection refused')), /^A worker of the database does not answer\. .*standby/);
  assert.match(
    messageOf(refusalOfCoordinator('FATAL:  sorry, too many clients already')),
    /^A worker of the database takes no further connections\. Nothing that includes its partners .* max_connections\. /,
  );
});

test('who cannot know whether the change was made is told to check first, and not to repeat', () => {
  const cause = refusalOfCoordinator('connection not open');
  const message = messageOf(new CommitUnknownError('the commit is unknown', { cause }));
  assert.match(message, /ended a session of this command\. Check whether the change was made before you repeat the command\. /);
  assert.doesNotMatch(message, /Repeat it/);
});
