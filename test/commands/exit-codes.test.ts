/** Exit code 1 of every command whose help promises it: the check finds the problem that is planted. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { audit } from '../../src/operations/audit/audit.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine } from '../support/command-line.ts';
import { everyCommand } from '../support/commands/every-command.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';
import { openFirst } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await testService();
const { database } = service;
const folder = temporaryFolder('exit-codes');
const { run, runJson } = commandLine({
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: folder,
  XDG_CONFIG_HOME: join(folder, 'home'),
  AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
});

/** The audit has a record that is not in its table. */
async function removeRecord(action: string, subjectId: string): Promise<void> {
  await inTransaction(database, USUAL_LOCK_TIMEOUT, (db) =>
    audit(db, OWNER, { action, partnerId: null, subjectId, before: null, after: { removed: subjectId } }),
  );
}

async function edit(text: string, values: unknown[] = []): Promise<void> {
  await asSuperuser(database.pool, async (client) => void (await client.query(text, values)));
}

/** By the words of a command: plants a problem, and gives the words of the options. The chain of the audit is edited last. */
const PROBLEMS: Record<string, () => Promise<string[]>> = {
  'adjustment verify': async () => {
    await removeRecord('adjustment.draft', 'adj_removed');
    return [];
  },
  'impact-batch check-evidence': async () => {
    const { impact_batch_id: batchId } = await runJson('impact-batch', 'create', '--name', 'November', '--trees', '1');
    const file = join(folder, 'photo.jpg');
    writeFileSync(file, 'no evidence');
    return ['--batch', batchId, '--file', file];
  },
  'impact-batch verify': async () => {
    await removeRecord('impact-batch.create', 'batch_removed');
    return [];
  },
  'rule verify': async () => {
    const { version } = await runJson(
      'rule',
      'create',
      '--kind',
      'tree_cost',
      '--label',
      'edited',
      '--tree-cost',
      '1',
      '--currency',
      'SAR',
    );
    await edit('update rule_version set tree_cost = tree_cost * 2 where version = $1', [version]);
    return [];
  },
  'settlement verify': async () => {
    const { partner } = await service.newPartner();
    await openFirst(database, partner);
    await edit('update settlement set sequence = 2 where partner_id = $1', [partner.partnerId]);
    return [];
  },
  verify: async () => [],
  'audit verify': async () => {
    await edit("update audit_entry set action = 'partner.rename' where entry_no = 1");
    return [];
  },
};

describe('exit code 1', HANG_LIMIT, () => {
  test('of every command whose help names it', async () => {
    const named = (await everyCommand()).filter(({ command }) => command.description().includes('exit code 1'));
    assert.deepEqual(named.map(({ words }) => words.join(' ')).sort(), Object.keys(PROBLEMS).sort());
  });

  test('0 before a problem is planted', async () => {
    await service.newPartner();
    for (const words of Object.keys(PROBLEMS).filter((each) => each.endsWith('verify'))) {
      const { code, stderr } = await run(words.split(' '));
      assert.equal(code, 0, `${words}: ${stderr}`);
    }
  });

  for (const [words, plant] of Object.entries(PROBLEMS))
    test(words, async () => {
      const { code, stderr } = await run([...words.split(' '), ...(await plant())]);
      assert.equal(code, 1, stderr);
    });
});
