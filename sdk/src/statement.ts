import { createHash } from 'node:crypto';
import { decode } from './decode.ts';
import { SettlementOpenError, StatementMismatchError } from './errors.ts';
import type { Settlement } from './generated/types.ts';
import { pathSegment } from './http/path-segment.ts';
import { Patience } from './http/patience.ts';
import { type CallOptions, DEADLINE_MS, isWorthRetrying, requestMember } from './http/request.ts';
import { withTimeout } from './http/time-out.ts';
import type { Transport } from './http/transport.ts';

/** No piece of a statement takes longer, however long the whole takes. */
const IDLE_MS = 30_000;

export async function* verifiedStatement(
  transport: Transport,
  settlementId: string,
  options: CallOptions = {},
): AsyncGenerator<Uint8Array, void> {
  const path = `/v1/settlements/${pathSegment('settlementId', settlementId)}`;
  const { statement } = decode<Settlement>(await requestMember(transport, { path }, 'settlement', options));
  if (!statement) throw new SettlementOpenError(settlementId);
  const hash = createHash('sha256');
  for await (const piece of readOn(transport, `${path}/statement.csv`, options)) {
    hash.update(piece);
    yield piece;
  }
  const actual = hash.digest('hex');
  if (actual !== statement.csvSha256) throw new StatementMismatchError(settlementId, statement.csvSha256, actual);
}

/**
 * The bytes of a file that never changes. After a broken connection it is asked for again, and what was given is skipped. The deadline
 * begins anew each time that the next piece is asked for.
 */
async function* readOn(transport: Transport, path: string, options: CallOptions): AsyncGenerator<Uint8Array, void> {
  const { signal, deadlineMs = DEADLINE_MS } = options;
  let givenBytes = 0;
  for (let patience = new Patience(deadlineMs, signal); ; ) {
    const opened = await transport.open({ path, signal });
    if ('kind' in opened) {
      if (!isWorthRetrying(opened) || !(await patience.pause(opened.retryAfterMs))) throw opened.error;
      continue;
    }
    const end: End = {};
    for await (const fresh of readAfter(givenBytes, opened.body, { signal, end })) {
      givenBytes += fresh.byteLength;
      yield fresh;
      // Behind it: the program may take longer for a piece than the deadline.
      patience = new Patience(deadlineMs, signal);
    }
    if (!end.failure) return;
    if (!(await patience.pause(0))) throw transport.noAnswer(end.failure.reason);
  }
}

/** How a body ended. */
interface End {
  /** Why it broke off; left out where it came whole. */
  failure?: { readonly reason: unknown };
}

/** The pieces of a body behind its first bytes. */
async function* readAfter(
  skippedBytes: number,
  body: Body,
  { signal, end }: { readonly signal: AbortSignal | undefined; readonly end: End },
): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader();
  try {
    for (let passedBytes = 0; ; ) {
      const read = await next(reader, signal).catch((reason: unknown) => {
        end.failure = { reason };
      });
      if (!read || read.done) return;
      const fresh = read.value.subarray(Math.max(0, Math.min(read.value.byteLength, skippedBytes - passedBytes)));
      passedBytes += read.value.byteLength;
      if (fresh.byteLength > 0) yield fresh;
    }
  } finally {
    await reader?.cancel().catch(() => {});
  }
}

type Body = ReadableStream<Uint8Array> | null;
type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function next(reader: Reader | undefined, signal: AbortSignal | undefined) {
  if (!reader) return { done: true } as const;
  return withTimeout({ timeoutMs: IDLE_MS, signal }, () => reader.read());
}
