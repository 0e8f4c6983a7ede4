/** The dump and the copy of docs/operating.md, word for word, onto a server that lacks the role of the service. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { commandLine } from '../support/command-line.ts';
import { listBlocks } from '../support/document-blocks.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { BINARIES } from '../support/postgres/embedded.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROLE = `impact_service_${process.pid}`;
const written = listBlocks().filter(({ path, tag }) => path === 'docs/operating.md' && ['sh', 'sql'].includes(tag));
const textOf = (words: string) => written.find(({ text }) => text.includes(words))?.text ?? '';
const [dump = '', restore = ''] = textOf('pg_dump').split('\n');
const grants = textOf('create role impact_service').replaceAll('impact_service', ROLE).replaceAll('for role impact ', '');

test('a restored dump passes every verification, and has the contribution', {
  skip: BINARIES === '' && 'the packages have no pg_dump',
}, async () => {
  const { databaseUrl, database, newPartner } = await testService();
  const { partner, client } = await newPartner();
  await client.confirm();
  const copy = await emptyDatabase();
  const folder = temporaryFolder('restore');
  const shell = (line: string) =>
    spawnSync('sh', ['-ec', line], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: `${BINARIES}:${process.env['PATH']}`, DATABASE_URL: databaseUrl, EMPTY_DATABASE_URL: copy.databaseUrl },
    });

  await database.pool.query(grants);
  const dumped = shell(dump);
  assert.equal(dumped.status, 0, dumped.stderr);
  await database.pool.query(`drop owned by ${ROLE}; drop role ${ROLE}`);
  const restored = shell(restore);
  assert.equal(restored.status, 0, restored.stderr);

  const auditKey = database.auditKeys().map(writeNamedKey).join(',');
  const { run } = commandLine({ DATABASE_URL: copy.databaseUrl, AUDIT_KEY: auditKey });
  for (const words of [['doctor'], ['verify']]) {
    const { code, stdout, stderr } = await run(words);
    assert.equal(code, 0, `${words}: ${stdout}${stderr}`);
  }
  const { rows } = await copy.pool.query('select partner_id from contribution');
  assert.deepEqual(rows, [{ partner_id: partner.partnerId }]);
});
