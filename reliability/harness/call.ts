/** One HTTP request of a partner's server, with a client of its own and not the package for partners. */
import type { Dispatcher } from 'undici';

export interface Call {
  readonly apiKey: string;
  readonly path: string;
  readonly idempotencyKey?: string | undefined;
  /** Sent by POST; without it the request is a GET. */
  readonly body?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** @throws Error When no answer comes: refused, reset, timed out. */
export async function call(
  dispatcher: Dispatcher,
  origin: string,
  { apiKey, path, idempotencyKey, body }: Call,
): Promise<Answer> {
  const answer = await dispatcher.request({
    origin,
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'x-api-key': apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: body ?? null,
  });
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
}

/** JSON with each integer in all its digits. Not the service's own reader: one mistake must not hide behind the other. */
export function parseExactly<Value>(bytes: Buffer): Value {
  return JSON.parse(bytes.toString(), (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value,
  ) as Value;
}
