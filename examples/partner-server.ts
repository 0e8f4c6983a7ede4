/** A partner's server: `POST /gifts/<order>/<points>` gives points out of a wallet; `/hook` receives webhooks. */
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { type Intent, nodeHandler, PartnerImpact, SqliteInbox } from '@partner-impact/sdk';
import { Wallet } from './wallet.ts';

const { BASE_URL = '', API_KEY = '', SECRET = `whsec_${crypto.randomUUID()}`, FOLDER = '.', PORT = '3000' } = process.env;
const wallet = new Wallet(`${FOLDER}/wallet.db`, 1_000n);
const impact = new PartnerImpact({ baseUrl: BASE_URL, apiKey: API_KEY });
const receiver = impact.events.receiver(SECRET, new SqliteInbox(new DatabaseSync(`${FOLDER}/inbox.db`)), {
  'impact.transaction.adjusted'({ data }) {
    if (data.change === 'failed') wallet.restore(data.permit, data.contribution.partnerEventId);
  },
});

async function settle(intent: Intent): Promise<number> {
  const outcome = await impact.confirm(intent);
  outcome.match({
    confirmed: ({ transactionId }) => wallet.confirmed(intent.eventId, transactionId),
    pending: ({ retryAt }) => wallet.held(intent.eventId, 'pending', retryAt),
    failed: (permit) => wallet.restore(permit, intent.eventId),
    refused: ({ code, retryAt }) => wallet.held(intent.eventId, code, retryAt),
    unknown: ({ code, retryAt }) => wallet.held(intent.eventId, code, retryAt),
  });
  return outcome.match({ confirmed: () => 200, pending: () => 202, failed: () => 422, refused: () => 202, unknown: () => 202 });
}

async function give(orderRef = '', points = ''): Promise<number> {
  const intent = PartnerImpact.intent({ orderRef, points: BigInt(points) });
  wallet.deduct(intent); // After an error of the next line they stay deducted, and settleDue goes on.
  return (await settle(intent).catch((error) => console.error(intent.eventId, error))) ?? 202;
}

createServer(async (request, response) => {
  const [, path, orderRef, points] = request.url?.split('/') ?? [];
  if (path === 'hook' || request.method !== 'POST') return nodeHandler(receiver)(request, response); // no POST: 405
  response.writeHead((await give(orderRef, points).catch(console.error)) ?? 409).end();
}).listen(Number(PORT));
setInterval(() => wallet.settleDue(settle), 5_000);
for (; ; await new Promise((wake) => setTimeout(wake, 60_000))) await receiver.catchUp().catch(console.error);
