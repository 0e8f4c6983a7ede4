/** The engineer on call is told of a modified record that partners need, and what it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { changeSettlementPolicy } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { Client } from '../support/client.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { insertPrice } from '../support/rules.ts';
import { type ServiceProcess, spawnService, testService } from '../support/service.ts';

const { database, databaseUrl, newPartner } = await testService({ roles: [] });
const { partner, key } = await newPartner();
await changeSettlementPolicy(database, OWNER, partner.partnerId, { currency: 'SAR' });
const label = 'modified-later';
await insertPrice(database, 'point_conversion', { partnerId: partner.partnerId, label, starts: '-1 day', price: '0.05' });
const other = await newPartner();

async function modify(statement: string, value: string): Promise<void> {
  await asSuperuser(database.pool, async (superuser) => void (await superuser.query(statement, [value])));
}

async function open() {
  const port = await freePort();
  const service = await spawnService(databaseUrl, { LOG_LEVEL: 'warn', OPERATIONS_PORT: String(port) });
  const count = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^partner_impact_unverified_records_total (\d+)$/m.exec(text)?.[1]);
  };
  return { service, count };
}

function linesOf({ output }: ServiceProcess): { level: number; msg: string; err: { message: string } }[] {
  const lines = output().split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}

test('a modified rule is an error of its own, no database that could not be read, and each refusal is counted', async () => {
  await modify("update rule_version set point_value = '0.5' where version = $1", label);
  const { service, count } = await open();
  const client = new Client(service.baseUrl, key.apiKey);
  assert.equal(await count(), 0);
  for (let refused = 0; refused < 2; refused++) assert.equal((await client.confirm()).status, 503);
  assert.equal(await count(), 2);
  assert.equal((await new Client(service.baseUrl, other.key.apiKey).confirm()).status, 201);
  await waitFor('line about the rule', () => linesOf(service).length > 0);
  const [line, ...more] = linesOf(service);
  assert.deepEqual(more, []);
  assert.equal(line?.level, 50);
  assert.match(line?.msg ?? '', /^a rule differs from the audit/);
  assert.match(line?.err.message ?? '', /^The rule point_conversion\/modified-later differs from the audit: point_value/);
});

test('several rules that are modified at once are one line of the log, which names the first and the command that names all', async () => {
  await insertPrice(database, 'point_conversion', {
    partnerId: partner.partnerId,
    label: 'also',
    starts: '-1 hour',
    price: '0.05',
  });
  await modify("update rule_version set point_value = '0.5' where version = $1", 'also');
  const { service } = await open();
  assert.equal((await new Client(service.baseUrl, key.apiKey).confirm()).status, 503);
  await waitFor('line about the rules', () => linesOf(service).length > 0);
  await service.end('SIGTERM');
  const lines = linesOf(service).filter(({ err }) => err !== undefined);
  assert.deepEqual(
    lines.map(({ err }) => err.message.split(' differs')[0]),
    ['The rule point_conversion/modified-later'],
  );
  assert.match(lines[0]?.msg ?? '', /`rule verify` names all/);
});

test('a modified key is counted each time that it is looked up', async () => {
  await modify("update api_key set permission = 'manage' where key_id = $1", other.key.key.keyId);
  const { service, count } = await open();
  const client = new Client(service.baseUrl, other.key.apiKey);
  assert.equal((await client.confirm()).status, 503);
  assert.equal(await count(), 1);
  // A credential that was read decides about the requests of the next seconds.
  await waitFor('count of a second look-up', async () => {
    assert.equal((await client.confirm()).status, 503);
    return (await count()) > 1;
  });
  assert.equal(await count(), 2);
});
