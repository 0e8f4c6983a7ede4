/** The partner's server of examples/ over HTTP: what it answers to a customer and to a webhook. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { assertRefusesPrintedSecrets } from '../support/sdk/printed-secrets.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

buildSdk();
const program = join(ROOT, 'examples/partner-server.ts');
const service = await testService();
const { key } = await service.newPartner();
const port = await freePort();
const settings = {
  BASE_URL: service.baseUrl,
  API_KEY: key.apiKey,
  FOLDER: temporaryFolder('partner-server'),
  PORT: String(port),
};
const server = spawn(process.execPath, [program], {
  env: { ...process.env, ...settings },
  stdio: ['ignore', 'ignore', 'inherit'],
});
after(() => server.kill('SIGKILL'));
const url = `http://127.0.0.1:${port}`;
await waitFor('server', () => fetch(`${url}/hook`).catch(() => undefined));

test('without a secret it accepts no event, whatever text of its program signs it', () =>
  assertRefusesPrintedSecrets(program, `${url}/hook`));
