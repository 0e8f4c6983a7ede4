/** examples/receiver.py, against deliveries of the service. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { failPendingContribution } from '../../src/operations/contributions/resolve-pending-contribution.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { ROOT } from '../support/document-blocks.ts';
import { insertContributionRule } from '../support/rules.ts';
import { needsLanguage } from '../support/sample.ts';
import { OPEN_RATES, testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { endpointTools, makeDue, WEBHOOK_ENV } from '../support/webhook-service.ts';

const PORT = String(20_000 + (process.pid % 20_000));
const url = `http://127.0.0.1:${PORT}/`;
const INBOX = join(temporaryFolder('python-receiver'), 'inbox.db');
let receiver: ChildProcess | undefined;
after(() => receiver?.kill('SIGKILL'));

async function start(SECRETS = ''): Promise<void> {
  const env = { ...process.env, PORT, INBOX, SECRETS, PYTHONDONTWRITEBYTECODE: '1' };
  receiver = spawn('python3', [join(ROOT, 'examples/receiver.py')], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  while (!(await fetch(url).catch(() => undefined))) await sleep(20);
}

async function kill(): Promise<void> {
  receiver?.kill('SIGKILL');
  if (receiver?.exitCode === null && receiver.signalCode === null) await once(receiver, 'exit');
}

test(
  'examples/receiver.py: the challenge, each event once, in order, a restoration once, and killed',
  needsLanguage('py'),
  async () => {
    let made: Partner | undefined;
    const service = await testService({
      env: WEBHOOK_ENV,
      async prepare(database) {
        made = await createPartner(database, OWNER, 'Writes Python', OPEN_RATES);
        await insertContributionRule(database, { partnerId: made.partnerId, review_threshold: 1_000 });
      },
    });
    const { partner, client } = await service.newPartner({ of: made as unknown as Partner });
    const { partnerId } = partner;
    await start();
    const { secret } = await addEndpoint(endpointTools(service.database), OWNER, { partnerId, url, eventTypes: [] });
    await client.confirm();
    await kill();
    await start(secret);

    const points = 9_007_199_254_740_993n;
    const { body } = await client.confirm({ points });
    const transactionId = body.contribution.transaction_id;
    await failPendingContribution(service.database, signedIn('operator'), { partnerId, transactionId }, 'test');
    const inbox = new DatabaseSync(INBOX, { readOnly: true });
    after(() => inbox.close());
    const all = (sql: string) =>
      inbox
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }));
    while (all('select * from restoration').length === 0) {
      await makeDue(service.database, partnerId);
      await sleep(50);
    }
    assert.deepEqual(all('select * from restoration'), [{ transaction_id: transactionId, points: String(points) }]);

    const [{ body: stored } = {}] = all("select body from event where body like '%adjusted%'");
    for (const headers of [{}, { 'X-Service-Timestamp': '1', 'X-Service-Signature': `v1=${'0'.repeat(64)}` }]) {
      const response = await fetch(url, { method: 'POST', headers, body: String(stored) });
      assert.equal(response.status, 401);
    }
    await kill();
    await start(secret);
    assert.equal(all('select * from restoration').length, 1);
    assert.deepEqual(all('select count(*) as waiting from event where handled_at is null'), [{ waiting: 0 }]);
  },
);
