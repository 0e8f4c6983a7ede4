// A delivery day as a partner lives it, against the service that runs: each request and each answer, as they are.
//   npm run tour                                              with a partner and a key made for it
//   npm run tour -- --base-url http://127.0.0.1:8080 --api-key pi_sandbox_…
import { once } from 'node:events';
import { connect } from 'node:net';
import { parseArgs, styleText } from 'node:util';
import { readConfig } from '../src/config.ts';
import { deliverEvent } from './tour/delivery.ts';
import { openPrinter } from './tour/show.ts';
import { endStory, type Story, tellStory } from './tour/story.ts';

const { values } = parseArgs({ options: { 'base-url': { type: 'string' }, 'api-key': { type: 'string' } } });

try {
  const config = readConfig(process.env);
  const baseUrl = values['base-url'] ?? process.env['BASE_URL'] ?? `http://127.0.0.1:${config.port}`;
  await assertRunning(baseUrl);
  const apiKey = values['api-key'] ?? process.env['API_KEY'] ?? (await makeKey());
  const story: Story = openPrinter({ baseUrl, apiKey });
  await tellStory(story);
  await deliverEvent(story);
  endStory(story);
} catch (error) {
  process.stderr.write(`\n${styleText('red', (error as Error).message)}\n`);
  process.exitCode = 1;
}

async function assertRunning(baseUrl: string): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port || 80), hostname);
  await once(socket, 'connect').catch(() => {
    throw new Error(
      `Nothing answers at ${baseUrl}. Start the service in another terminal: npm start. If it has another port, set PORT.`,
    );
  });
  socket.destroy();
}

/** A partner of the tour's own, on the database of the running service. */
async function makeKey(): Promise<string> {
  const { connectStore } = await import('../src/service/open-database.ts');
  const { createPartner } = await import('../src/operations/access/manage-partner.ts');
  const { owner } = await import('../src/commands/terminal/actor.ts');
  const { issueApiKey } = await import('../src/operations/access/manage-api-key.ts');
  const config = readConfig(process.env);
  const store = await connectStore(config);
  try {
    const { partnerId } = await createPartner(store.database, owner(), 'Tour');
    const terms = { name: 'tour', permission: 'read_write', allowedAddresses: [], expiresAt: null } as const;
    return (await issueApiKey(store.database, owner(), { environment: config.environment, partnerId, ...terms })).apiKey;
  } finally {
    await store.close();
  }
}
