/** A restored or edited database may differ in every row: the verifications name them all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { commandLine } from '../support/command-line.ts';
import { copyContributions } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { openFirst } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A call takes fewer arguments than this. */
const COUNT = 130_000;
const AT_ONCE = 10_000;

const service = await testService();
const { database } = service;
const { partner, client } = await service.newPartner();
const { run } = commandLine({
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: temporaryFolder('many-problems'),
  AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
});

test(`${COUNT} contributions that no closing would find`, async () => {
  await openFirst(database, partner);
  await client.confirm();
  for (let first = 1; first <= COUNT; first += AT_ONCE)
    await copyContributions(database.pool, partner.partnerId, { first, last: first + AT_ONCE - 1 });

  const ofPartner = await run(['settlement', 'verify', '--partner', partner.partnerId, '--json']);
  assert.equal(ofPartner.code, 1, ofPartner.stderr);
  assert.equal(JSON.parse(ofPartner.stdout).problems.length, COUNT);
  const ofAll = await run(['verify']);
  assert.equal(ofAll.code, 1, ofAll.stderr);
  assert.match(ofAll.stdout, new RegExp(`^settlement .* ${COUNT} differ$`, 'm'));
  // A person reads the first ones, and how many more there are.
  assert.equal(ofAll.stdout.match(/^partner ptn_/gm)?.length, 1_000);
  assert.match(ofAll.stdout, new RegExp(`^… and ${COUNT - 1_000} more: --json lists each\\.$`, 'm'));
});
