/** A service of several processes for which the system makes none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../../reliability/harness/free-port.ts';
import { readConfig } from '../../../src/config.ts';
import { requireFreePorts } from '../../../src/service/ports.ts';
import { startServiceProcesses } from '../../../src/service/processes/worker-processes.ts';
import { SERVICE_ROLES } from '../../../src/service/role.ts';

/** More than the system hands to a program. */
const TOO_LONG = 'x'.repeat(1 << 18);

test('a start that fails so keeps no port', async () => {
  const config = readConfig({ PORT: '0', OPERATIONS_PORT: String(await freePort()) });
  process.env['TOO_LONG'] = TOO_LONG;
  try {
    await assert.rejects(startServiceProcesses(config, 2), { code: 'E2BIG' });
  } finally {
    delete process.env['TOO_LONG'];
  }
  await requireFreePorts(config, SERVICE_ROLES);
});
