/** A receiver of the SDK, beside a feed in memory, and what it is sent. */
import { randomBytes } from 'node:crypto';
import {
  type Inbox,
  MemoryInbox,
  PartnerImpact,
  type Receiver,
  type RestorationPermit,
  stringifyExactJson,
} from '../../../sdk/src/index.ts';
import { signedRequest } from '../../../sdk/src/testing.ts';

export const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
export const NEXT_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
export const NOW_SECONDS = 1_800_000_000;

/** A service that has these events in its feed and nothing else. */
export function feedOf(events: () => readonly object[], calls: string[] = []): typeof fetch {
  return (async (input: string) => {
    const url = new URL(input);
    calls.push(url.pathname + url.search);
    const [after, limit] = [BigInt(url.searchParams.get('after_sequence') ?? 0), Number(url.searchParams.get('limit'))];
    const later = (events() as { sequence: bigint }[]).filter(({ sequence }) => sequence > after);
    const page = later.slice(0, limit);
    const body = {
      events: page,
      next_after_sequence: page.at(-1)?.sequence ?? after,
      has_more: later.length > limit,
      request: {},
    };
    return new Response(stringifyExactJson(body), { headers: { 'content-type': 'application/json' } });
  }) as typeof fetch;
}

interface Given {
  readonly secrets?: string | readonly string[];
  readonly feed?: readonly object[];
  readonly inbox?: Inbox<unknown>;
  readonly calls?: string[];
  readonly handle?: (sequence: bigint) => Promise<void> | void;
  readonly errors?: unknown[];
}

export function newReceiver({
  secrets = SECRET,
  feed = [],
  inbox = new MemoryInbox(),
  calls = [],
  handle,
  errors = [],
}: Given = {}) {
  const impact = new PartnerImpact({
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'pi_sandbox_test',
    fetch: feedOf(() => feed, calls),
  });
  const handled: bigint[] = [];
  const permits: RestorationPermit[] = [];
  const take = async ({ sequence }: { sequence: bigint }) => {
    await handle?.(sequence);
    handled.push(sequence);
  };
  const unsequenced: string[] = [];
  const refused: object[] = [];
  const receiver = impact.events.receiver(
    secrets,
    inbox,
    {
      'impact.transaction.confirmed': take,
      'impact.transaction.adjusted': async (event) => {
        if (event.data.change === 'failed') permits.push(event.data.permit);
        await take(event);
      },
    },
    {
      clock: () => NOW_SECONDS * 1000,
      onError: (error) => errors.push(error),
      onUnsequenced: ({ eventType }) => unsequenced.push(eventType),
      onRefused: (each) => refused.push(each),
    },
  );
  return { receiver, handled, permits, unsequenced, refused, errors };
}

export const signed = (event: object | string, change: Partial<Parameters<typeof signedRequest>[0]> = {}) =>
  signedRequest({ secret: SECRET, event, timestamp: NOW_SECONDS, ...change });

/** Sends the same request again with something changed. */
export async function changed(
  request: Request,
  { headers = {}, body, method }: { headers?: Record<string, string | null>; body?: string | Uint8Array; method?: string },
): Promise<Request> {
  const copy = new Headers(request.headers);
  for (const [name, value] of Object.entries(headers)) value === null ? copy.delete(name) : copy.set(name, value);
  const isBodyless = method === 'GET' || method === 'HEAD';
  const content = body ?? (await request.text());
  return new Request(request.url, { method: method ?? 'POST', headers: copy, ...(!isBodyless && { body: content as string }) });
}

export async function send(receiver: Receiver, request: Request): Promise<[status: number, body: Record<string, unknown>]> {
  const response = await receiver(request);
  await receiver.settled();
  return [response.status, (await response.json()) as Record<string, unknown>];
}

export const ownOnly = { 'webhook-id': null, 'webhook-timestamp': null, 'webhook-signature': null };
export const standardOnly = { 'X-Service-Timestamp': null, 'X-Service-Signature': null };
