/** Two services in one process: what one is busy with is no concern of the other. */
import assert from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import { test } from 'node:test';
import { FILE_TYPE } from '../../src/operator-api/http/hash-upload.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { type OperatorAnswer, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';

const EVIDENCE = new URLSearchParams({
  type: 'photo',
  url: 'https://example.org/a.jpg',
  file_name: 'a.jpg',
  sha256: '0'.repeat(64),
  captured_at: '2026-11-20T10:00:00Z',
});
const PATH = `/operator/v1/impact-batches/batch_nobody/evidence?${EVIDENCE}`;
const FILES_MAX = 4;

/** Sends the beginning of a file, and no end. */
function beginFile({ port, cookie, csrfToken }: SignedInOperator): ClientRequest {
  const headers = {
    host: `localhost:${port}`,
    cookie,
    'x-csrf-token': csrfToken,
    'content-type': FILE_TYPE,
    'idempotency-key': uniqueId('key'),
  };
  const sending = request({ host: '127.0.0.1', port, method: 'POST', path: PATH, headers });
  sending.on('error', () => {});
  sending.write('a photo');
  return sending;
}

const sendFile = (operator: SignedInOperator): Promise<OperatorAnswer> =>
  operator.send('POST', PATH, { file: 'a photo', headers: { 'content-type': FILE_TYPE, 'idempotency-key': uniqueId('key') } });

test('a service takes a file while another of the process receives as many as it can', async (t) => {
  const [busy, idle] = [await testService(), await testService()];
  const [ofBusy, ofIdle] = [await signedInOperator(busy, 'operator'), await signedInOperator(idle, 'operator')];
  const files = Array.from({ length: FILES_MAX }, () => beginFile(ofBusy));
  t.after(() => files.forEach((file) => void file.destroy()));
  await waitFor('refusal by the busy service', async () => (await sendFile(ofBusy)).status === 429);
  // It was received and hashed: its hash is another one than the address says.
  const { status, body } = await sendFile(ofIdle);
  assert.deepEqual([status, body.error.details[0].field], [400, 'sha256']);
});
