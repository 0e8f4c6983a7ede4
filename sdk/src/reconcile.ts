import { randomUUID } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { decode } from './decode.ts';
import { AbortedError, InvalidValueError, ReconciliationFailedError } from './errors.ts';
import type { PostOptions } from './estimates.ts';
import type { Reconciliation, ReconciliationLine } from './generated/types.ts';
import { list } from './http/list.ts';
import { pathSegment } from './http/path-segment.ts';
import { sleep } from './http/patience.ts';
import { requestMember } from './http/request.ts';
import type { Transport } from './http/transport.ts';

/** A contribution as your own books have it. */
export interface ListedContribution {
  readonly eventId: string;
  readonly orderRef: string;
  /** As contributed, or net of adjustments. */
  readonly points: bigint;
}

export interface ReconcileOptions extends PostOptions {
  /** Only the lines of this verdict; all unless given. */
  readonly verdict?: ReconciliationLine['verdict'];
}

/** The service gives an upload 15 minutes in all. */
const UPLOAD_MS = 15 * 60_000;
const POLL_FIRST_MS = 100;
const POLL_MAX_MS = 5_000;
const WRITE_BYTES = 64 * 1024;

export async function* reconcile(
  transport: Transport,
  settlementId: string,
  lines: Iterable<ListedContribution> | AsyncIterable<ListedContribution>,
  options: ReconcileOptions = {},
): AsyncGenerator<ReconciliationLine, void> {
  const path = `/v1/settlements/${pathSegment('settlementId', settlementId)}/reconciliations`;
  const { reconciliationId } = await withListFile(lines, (file) => upload(transport, path, file, options));
  const job = `${path}/${encodeURIComponent(reconciliationId)}`;
  await untilDone(transport, job, options);
  const filter = options.verdict === undefined ? '' : `&verdict=${options.verdict}`;
  yield* list<ReconciliationLine>(transport, `${job}/lines?limit=1000${filter}`, 'lines', options);
}

/** The same list again with the same key is compared once, however often its connection breaks. */
async function upload(transport: Transport, path: string, file: string, options: ReconcileOptions): Promise<Reconciliation> {
  const { idempotencyKey = randomUUID(), signal } = options;
  // `fetch` leaves the stream of a connection that failed as it is: its file would stay open, and keep its room, until the process ends.
  let sent: ReadStream | undefined;
  const body = () => {
    sent?.destroy();
    sent = createReadStream(file);
    return Readable.toWeb(sent) as ReadableStream<Uint8Array>;
  };
  const call = { method: 'POST', path, idempotencyKey, contentType: 'text/csv', timeoutMs: UPLOAD_MS, body } as const;
  try {
    return decode<Reconciliation>(await requestMember(transport, call, 'reconciliation', { deadlineMs: UPLOAD_MS, signal }));
  } finally {
    sent?.destroy();
  }
}

async function untilDone(transport: Transport, path: string, options: ReconcileOptions): Promise<void> {
  for (let pauseMs = POLL_FIRST_MS; ; pauseMs = Math.min(POLL_MAX_MS, pauseMs * 2)) {
    const { status, reconciliationId, problem } = decode<Reconciliation>(
      await requestMember(transport, { path }, 'reconciliation', options),
    );
    if (status === 'done') return;
    if (status === 'failed') throw new ReconciliationFailedError(reconciliationId, problem);
    await sleep(pauseMs, options.signal);
    if (options.signal?.aborted) throw new AbortedError('The call was aborted by its signal.', { cause: options.signal.reason });
  }
}

/** A file that this user alone can read, gone when `use` has ended. */
async function withListFile<T>(
  lines: Iterable<ListedContribution> | AsyncIterable<ListedContribution>,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'partner-impact-list-'));
  try {
    const file = join(folder, 'list.csv');
    await writeList(file, lines);
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeList(file: string, lines: Iterable<ListedContribution> | AsyncIterable<ListedContribution>): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    let text = 'partner_event_id,partner_order_ref,points\n';
    for await (const { eventId, orderRef, points } of lines) {
      if (!isPoints(points)) throw new InvalidValueError('points', 'a bigint from 0 to 9223372036854775807, such as 250n');
      text += `${cell(eventId)},${cell(orderRef)},${points}\n`;
      if (text.length < WRITE_BYTES) continue;
      await handle.appendFile(text);
      text = '';
    }
    await handle.appendFile(text);
  } finally {
    await handle.close();
  }
}

/** A number has lost digits above 2^53 before anybody sees it. */
function isPoints(points: unknown): boolean {
  return typeof points === 'bigint' && points >= 0n && points < 2n ** 63n;
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
