/** The one-time link to the console, as a start and a command print it. */
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { commandLine } from '../support/command-line.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { spawnService } from '../support/service.ts';

const { databaseUrl } = await testDatabase();
const LINK = /http:\/\/localhost:(\d+)\/sign-in#pi_code_\w+/;

const statusAt = async (port: number) => (await fetch(`http://localhost:${port}/livez`)).status;

test('the link of a start has the port that listens, also where the system chose it', HANG_LIMIT, async () => {
  const service = await spawnService(databaseUrl, { OPERATIONS_PORT: '0' }, ['--first-call']);
  const [, port] = await waitFor('link', async () => LINK.exec(service.output()));
  assert.notEqual(port, '0');
  assert.equal(await statusAt(Number(port)), 200);
});

test('the link of a command has the port of OPERATIONS_PORT, and says beside it that it is this one', HANG_LIMIT, async () => {
  const port = await freePort();
  const settings = { OPERATIONS_PORT: String(port) };
  await spawnService(databaseUrl, settings);
  const { run, runJson } = commandLine({ DATABASE_URL: databaseUrl, ...settings });
  const terms = ['--email', 'noura@example.org', '--role', 'admin'];
  const { stdout } = await run(['operator', 'create', '--name', 'Noura', ...terms]);
  assert.equal(LINK.exec(stdout)?.[1], String(port));
  assert.ok(stdout.endsWith(`\n(where the service runs with OPERATIONS_PORT=${port})\n`), stdout);
  const { console_link } = await runJson('operator', 'create', '--name', 'Huda', '--role', 'viewer');
  assert.equal(LINK.exec(console_link)?.[1], String(port));
  assert.equal(await statusAt(port), 200);
});

test('a service that listens at another address of the loopback alone links there', HANG_LIMIT, async () => {
  const service = await spawnService(databaseUrl, { OPERATIONS_HOST: '127.0.0.2' }, ['--first-call']);
  const [, origin] = await waitFor('link there', async () => /(http:\/\/127\.0\.0\.2:\d+)\/sign-in/.exec(service.output()));
  assert.equal((await fetch(`${origin}/livez`)).status, 200);
});

const [ownAddress] = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ family, internal }) => family === 'IPv4' && !internal)
  .map(({ address }) => address);

test('a service that listens at an address of the network alone says how the link is reached, because no browser signs in there', {
  skip: ownAddress === undefined && 'this machine has no address in a network',
  ...HANG_LIMIT,
}, async () => {
  const service = await spawnService(databaseUrl, { OPERATIONS_HOST: String(ownAddress) }, ['--first-call']);
  const [, port, forwarded] = await waitFor('word of how it is reached', async () =>
    /localhost:(\d+)\/sign-in\S*\n(?: +\(works .+\n)? +\(nothing listens at localhost .+ ssh -L (\S+) HOST\)/.exec(
      service.output(),
    ),
  );
  assert.equal(forwarded, `${port}:${ownAddress}:${port}`);
  assert.equal((await fetch(`http://${ownAddress}:${port}/livez`)).status, 200);
});

test('a command says it as well, of an address of IPv6 too, and not where the link leads to a proxy', async () => {
  const create = async (settings: Record<string, string>) => {
    const { run } = commandLine({ DATABASE_URL: databaseUrl, OPERATIONS_PORT: '8081', ...settings });
    return (await run(['operator', 'create', '--name', 'Amal', '--role', 'viewer'])).stdout;
  };
  assert.match(
    await create({ OPERATIONS_HOST: 'fd00::1' }),
    /OPERATIONS_PORT=8081\)\n\(nothing listens at localhost with OPERATIONS_HOST=fd00::1: forward the port first, ssh -L 8081:\[fd00::1\]:8081 HOST\)\n$/,
  );
  for (const settings of [
    { OPERATIONS_HOST: '0.0.0.0' },
    { OPERATIONS_HOST: '10.0.0.5', OPERATIONS_NAMES: 'console.example.org' },
  ])
    assert.doesNotMatch(await create(settings), /nothing listens/);
});
