/**
 * The partner's server of examples/, with many gifts (2,000 with `npm run gifts`), behind a proxy that loses requests and answers, while
 * both sides are killed: no point is lost and none comes back twice.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../reliability/harness/free-port.ts';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../src/operations/contributions/resolve-pending-contribution.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { insertContributionRule } from '../support/rules.ts';
import { OPEN_RATES, type ServiceProcess, spawnService, testServiceProcesses } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { endpointTools, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const GIFTS = Number(process.env['GIFTS'] ?? 200);
const AT_ONCE = 100;
/** Of each side. */
const KILLS = GIFTS < 1_000 ? 1 : 3;
/** Of half a second, in which what waits is due at once. */
const ROUNDS_MAX = 240;
const BALANCE = 2n ** 53n + 1n;
/** From here on a gift is reviewed. */
const REVIEWED = 10_000n;

buildSdk();
const folder = temporaryFolder('sdk-gifts');
const [servicePort, partnerPort] = [await freePort(), await freePort()];
const env = { ...WEBHOOK_ENV, PORT: String(servicePort) };
let made: Partner | undefined;
const service = await testServiceProcesses(1, env, async (database) => {
  made = await createPartner(database, OWNER, 'Gives points', OPEN_RATES);
  await insertContributionRule(database, { partnerId: made.partnerId, review_threshold: REVIEWED });
});
let running = service.processes[0] as ServiceProcess;
const { partner, key, client } = await service.newPartner({ of: made as unknown as Partner });

/** Loses one in six requests and one in six answers, cuts some, and answers by itself while the service is gone. */
const proxy = createServer((incoming, outgoing) => {
  const fault = Math.random();
  if (fault < 0.17) return void incoming.destroy();
  const { method, headers, url } = incoming;
  const forwarded = request({ host: '127.0.0.1', port: servicePort, method, headers, path: url, agent: false });
  forwarded.on('error', () => outgoing.destroy());
  forwarded.on('response', async (answer) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of answer) chunks.push(chunk as Buffer);
    } catch {
      return void outgoing.destroy();
    }
    const body = Buffer.concat(chunks);
    if (fault < 0.34) return void outgoing.destroy();
    if (fault < 0.36) return void outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502</h1>');
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
    if (fault < 0.4) return void outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
    return void outgoing.end(body);
  });
  incoming.on('error', () => forwarded.destroy());
  return void incoming.pipe(forwarded);
}).listen(0, '127.0.0.1');
await once(proxy, 'listening');
after(() => {
  proxy.close();
  proxy.closeAllConnections();
});

const wallet = new DatabaseSync(join(folder, 'wallet.db'));
after(() => wallet.close());
wallet.exec('pragma busy_timeout = 10000; create table account (points integer not null check (points >= 0))');
wallet.prepare('insert into account values (?)').run(BALANCE);

let secret: string | undefined;
let server: ChildProcess | undefined;
after(() => server?.kill('SIGKILL'));

async function startPartner(): Promise<void> {
  const { port } = proxy.address() as AddressInfo;
  const settings = { BASE_URL: `http://127.0.0.1:${port}`, API_KEY: key.apiKey, FOLDER: folder, PORT: String(partnerPort) };
  server = spawn(process.execPath, [join(ROOT, 'examples/partner-server.ts')], {
    env: { ...process.env, ...settings, ...(secret !== undefined && { SECRET: secret }) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await waitFor('answer of the partner', () => fetch(`http://127.0.0.1:${partnerPort}/hook`).catch(() => undefined));
}

async function killPartner(): Promise<void> {
  const [dying] = [server];
  dying?.kill('SIGKILL');
  if (dying?.exitCode === null && dying.signalCode === null) await once(dying, 'exit');
}

function all(sql: string): Record<string, unknown>[] {
  const statement = wallet.prepare(sql);
  statement.setReadBigInts(true);
  return statement.all();
}

const open = () => all("select order_ref from gift where status not in ('confirmed', 'restored')");

type Status = 'confirmed' | 'restored' | 'held';

/** The points of the gifts of one moment; what was deducted is their sum without what was restored. */
function sumGifts(): Record<Status, bigint> {
  wallet.exec('begin');
  const gifts = all('select intent, status from gift');
  const [{ points: balance } = {}] = all('select points from account');
  wallet.exec('commit');
  const sums = { confirmed: 0n, restored: 0n, held: 0n };
  for (const { intent, status } of gifts)
    sums[status === 'confirmed' || status === 'restored' ? status : 'held'] += BigInt(JSON.parse(String(intent)).points);
  assert.equal(balance, BALANCE - sums.confirmed - sums.held);
  return sums;
}

/** Every other one fails; those that were decided between the look and the decision are another operator's. */
async function decideReviews(): Promise<void> {
  const { rows } = await service.database.pool.query(
    "select transaction_id from contribution where partner_id = $1 and status = 'pending'",
    [partner.partnerId],
  );
  for (const { transaction_id: transactionId } of rows) {
    const decide =
      transactionId.charCodeAt(transactionId.length - 1) % 2 === 0 ? confirmPendingContribution : failPendingContribution;
    await decide(service.database, signedIn('operator'), { partnerId: partner.partnerId, transactionId }, 'test');
  }
}

test(`${GIFTS} gifts: deducted = confirmed + restored + held, while some are held and when none is; each restored once`, async () => {
  await startPartner();
  const tools = endpointTools(service.database);
  const url = `http://127.0.0.1:${partnerPort}/hook`;
  ({ secret } = await addEndpoint(tools, OWNER, { partnerId: partner.partnerId, url, eventTypes: [] }));
  await killPartner();
  await startPartner();

  let given = 0;
  const giveOne = async (number: number, points: bigint) => {
    const url = `http://127.0.0.1:${partnerPort}/gifts/order-${number}/${points}`;
    // A customer whose call is lost calls again: 409 says that the gift is in the wallet.
    while (!(await fetch(url, { method: 'POST' }).catch(() => undefined))) await sleep(100);
  };
  const LAST = GIFTS - 1;
  const give = async () => {
    for (let number = given++; number < LAST; number = given++)
      await giveOne(number, number % 10 === 0 ? REVIEWED + BigInt(number) : BigInt(1 + number));
  };
  const kill = async () => {
    for (let times = 0; times < KILLS; times++) {
      while (given < (GIFTS * (times + 1)) / (KILLS + 1)) await sleep(20);
      await killPartner();
      await startPartner();
      await running.end('SIGKILL');
      running = await spawnService(service.databaseUrl, env);
      await decideReviews();
    }
  };
  await Promise.all([kill(), ...Array.from({ length: AT_ONCE }, give)]);
  // It is reviewed, and no operator has decided.
  await giveOne(LAST, REVIEWED);
  assert.ok(sumGifts().held >= REVIEWED);

  // Time enters as data: whatever waits is due now.
  for (let rounds = 0; open().length > 0; rounds++) {
    assert.ok(rounds < ROUNDS_MAX, `${open().length} gifts come to no end`);
    await decideReviews();
    wallet.exec("update gift set due_ms = 0 where status not in ('confirmed', 'restored')");
    await sleep(500);
  }

  const { confirmed, restored } = sumGifts();
  const gifts = all('select order_ref, intent, status, transaction_id from gift');
  // A customer whose gift failed may have called again: at most one gift of an order is not restored.
  assert.equal(new Set(gifts.map(({ order_ref }) => order_ref)).size, GIFTS);
  const kept = gifts.filter(({ status }) => status !== 'restored').map(({ order_ref }) => order_ref);
  assert.equal(new Set(kept).size, kept.length);
  assert.ok(confirmed > 0n && restored > 0n);

  // The service's own records say the same of every gift, and have no other.
  const { rows } = await service.database.pool.query(
    'select partner_event_id, transaction_id, status, points from contribution where partner_id = $1',
    [partner.partnerId],
  );
  const recorded = new Map(rows.map((row) => [row.partner_event_id, row]));
  for (const { intent, status, transaction_id: transactionId } of gifts) {
    const { eventId, points } = JSON.parse(String(intent));
    const row = recorded.get(eventId);
    recorded.delete(eventId);
    assert.deepEqual(
      [row?.status, row?.transaction_id, String(row?.points)],
      [status === 'restored' ? 'failed' : 'confirmed', transactionId, points],
    );
  }
  assert.deepEqual([...recorded.keys()], []);
  assert.equal((await client.findByEvent(JSON.parse(String(gifts[0]?.['intent'])).eventId)).status, 200);
});
