import assert from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import { waitFor } from '../assertions/wait-for.ts';
import { type Answer, type Client, newConfirmation, uniqueId } from '../client.ts';
import { document, listMisfits } from '../published.ts';
import type { TestService } from '../service.ts';
import { closeNow, openFirst } from '../settlements.ts';

/** A line of a partner's list. */
export interface Listed {
  readonly partner_event_id: string;
  readonly partner_order_ref: string;
  readonly points: number | bigint;
}

export const HEADER = 'partner_event_id,partner_order_ref,points\n';

export const toCsv = (lines: readonly Listed[]) =>
  HEADER + lines.map((line) => `${line.partner_event_id},${line.partner_order_ref},${line.points}\n`).join('');

export type ReconciledPartner = Awaited<ReturnType<typeof newReconciledPartner>>;

/**
 * A partner with two closed settlements, and what it sent.
 *
 * @param count How many contributions the later one has.
 */
export async function newReconciledPartner(service: TestService, count = 5) {
  const { partner, client, key } = await service.newPartner();
  const { partnerId } = partner;
  await openFirst(service.database, partner);
  const confirm = async (): Promise<Listed> => {
    const sent = newConfirmation();
    await client.confirm(sent);
    return sent;
  };
  const earlier = await confirm();
  await closeNow(service.database, partnerId);
  const sent: Listed[] = [];
  for (let each = 0; each < count; each++) sent.push(await confirm());
  const { closed, opened } = await closeNow(service.database, partnerId);
  const path = `/v1/settlements/${closed.settlementId}`;
  return { partnerId, keyId: key.key.keyId, client, earlier, sent, closed, opened, path };
}

/** Sends a list, of CSV unless the headers say otherwise, under a new key unless they name one. */
export function sendList(
  client: Client,
  settlementPath: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const all = { 'content-type': 'text/csv', 'idempotency-key': uniqueId('key'), ...headers };
  return client.call(`${settlementPath}/reconciliations`, { method: 'POST', body, headers: all });
}

/** A list of which nothing was sent yet. That it is cut is no error of the test. */
export function openUpload(
  { client, path }: Pick<ReconciledPartner, 'client' | 'path'>,
  { key = uniqueId('key'), baseUrl = client.baseUrl } = {},
): ClientRequest {
  const headers = { 'x-api-key': client.apiKey, 'content-type': 'text/csv', 'idempotency-key': key };
  return request(`${baseUrl}${path}/reconciliations`, { method: 'POST', headers }).on('error', () => {});
}

/** Waits for the end of a job. */
export async function untilEnded(client: Client, answer: Answer): Promise<Answer> {
  assert.equal(answer.status, 202, answer.text);
  return waitFor('end of the job', async () => {
    const found = await client.call(answer.headers.get('location') as string);
    return found.body.reconciliation.ended_at !== null && found;
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a line
export async function linesOf(client: Client, { body }: Answer, query = ''): Promise<any[]> {
  const page = await client.call(`${body.reconciliation.path}/lines${query}`);
  const path = '/v1/settlements/{settlement_id}/reconciliations/{reconciliation_id}/lines';
  const { schema } = document.paths[path].get.responses['200'].content['application/json'];
  assert.equal(listMisfits(schema, JSON.parse(page.text)), '');
  return page.body.lines;
}
