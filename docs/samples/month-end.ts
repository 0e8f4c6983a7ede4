import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '' } = process.env;
// An error of `fetch` would show the key.
if (!/^[!-~]*$/.test(API_KEY)) {
  console.error('API_KEY is not a key: it has a line end, or a character that no key has');
  process.exit(1);
}
const [file = 'list.csv', attempt = '1', word] = process.argv.slice(2);
const list = readFileSync(file);

/** Node 22 and later hand the source of a number to the function: integers become bigints, with all their digits. */
const exact = (_name: string, value: unknown, { source }: { source: string }): unknown =>
  typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value;
const { parse } = JSON as unknown as { parse(text: string, read: typeof exact): Answer };

interface Answer {
  error: { code: string; message: string; retryable: boolean };
  settlements: {
    settlement_id: string;
    status: string;
    period_label: string;
    payable_points: bigint;
    contribution_count: bigint;
    adjustment_count: bigint;
    adjustment_points: bigint;
    carried_in_points: bigint;
    carried_in_amount: string | null;
    statement: { csv_sha256: string; line_count: bigint };
    acknowledgement: { status: string };
  }[];
  reconciliation: {
    status: string;
    problem: string | null;
    path: string;
    ended_at: string | null;
    counts: Record<string, bigint>;
  };
}

function end(problem: string): never {
  console.error(problem);
  process.exit(1);
}

/** `fetch` ends a request of which it wrote nothing more for 5 minutes; a list as one piece is written at once, and is long on its way. */
function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** The bytes of the answer. Asks again, with the same key, while no answer comes or the service asks to wait, ten minutes at most: ten requests in all. */
async function call(path: string, key?: string, type?: string, body?: Buffer | string): Promise<Buffer> {
  const headers = { 'X-API-Key': API_KEY, ...(key && { 'Idempotency-Key': key }), ...(type && { 'Content-Type': type }) };
  // A list or a statement may be on its way for 15 minutes.
  const withinMs = type === 'text/csv' || path.endsWith('.csv') ? 900_000 : 300_000;
  for (let requestsLeft = 9; ; requestsLeft--) {
    let [problem, isRetryable, pauseSeconds] = ['no_answer', true, 1];
    try {
      const sent = typeof body === 'string' ? body : body && ReadableStream.from(inPieces(body));
      const post = sent && ({ method: 'POST', body: sent, duplex: 'half' } as const);
      const init = { headers, redirect: 'error', ...post } as const;
      const response = await fetch(BASE_URL + path, { ...init, signal: AbortSignal.timeout(withinMs) });
      problem = `no_answer: HTTP ${response.status}`;
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.ok) return bytes;
      const { code, message, retryable } = read(bytes).error;
      [problem, isRetryable] = [`${code}: ${message}`, retryable];
      pauseSeconds = Number(response.headers.get('Retry-After')) || 1;
    } catch (error) {
      if (problem === 'no_answer') problem += `: ${(error as Error).cause ?? error}`;
    }
    if (!isRetryable || requestsLeft === 0 || pauseSeconds > 600) end(problem);
    await sleep(pauseSeconds * 1000);
  }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const read = (bytes: Buffer): Answer => parse(bytes.toString(), exact);

// The latest comes first, and one is open.
const { settlements } = read(await call('/v1/settlements?limit=2'));
const closed = settlements.find(({ status }) => status === 'closed') ?? end('No settlement is closed.');
const path = `/v1/settlements/${closed.settlement_id}`;
const statement = await call(`${path}/statement.csv`);
if (sha256(statement) !== closed.statement.csv_sha256) end('The statement has another SHA-256 than its settlement names.');
writeFileSync('statement.csv', statement);
console.log(`${closed.period_label}: ${closed.payable_points} points are payable`);
for (const name of ['adjustment_count', 'adjustment_points', 'carried_in_points', 'carried_in_amount'] as const)
  console.log(`${name} ${closed[name] ?? '-'}`);

// The same list has the same key; a corrected one has another, and so has a further attempt, after the operator corrected the settlement.
const key = `list-${closed.settlement_id}-${sha256(list).slice(0, 32)}-${attempt}`;
let { reconciliation: job } = read(await call(`${path}/reconciliations`, key, 'text/csv', list));
for (let seconds = 0; job.ended_at === null; seconds++) {
  if (seconds === 600) end('The list is still being compared. Run this program again later: it goes on with the same list.');
  await sleep(1000);
  ({ reconciliation: job } = read(await call(job.path)));
}
if (job.status !== 'done') end(`The list was not compared: ${job.problem}`);
for (const [verdict, count] of Object.entries(job.counts)) console.log(`${verdict} ${count}`);
// It was accepted by a run before, or by hand.
const isAccepted = closed.acknowledgement.status === 'accepted';
// A line of another settlement is compared with that one, by its own list.
const { matched: _matched, other_settlement: _other, ...differences } = job.counts;
if (Object.values(differences).some((count) => count !== 0n))
  end(`${isAccepted ? 'Accepted before, but the list differs' : 'Not accepted'}: the lines are at ${job.path}/lines`);
// No list of contributions has these lines of the statement: a person reads them.
const unlisted = closed.statement.line_count - closed.contribution_count;
if (!isAccepted && unlisted !== 0n && word !== 'accept') {
  const sentence = `a list of contributions has no adjustments and nothing carried in (lines of the statement: ${unlisted}). Read them in statement.csv.`;
  end(`Not accepted: ${sentence} Where they are right, run this program again with the words ${file} ${attempt} accept`);
}

if (!isAccepted)
  await call(`${path}/acknowledgement`, `accept-${closed.settlement_id}`, 'application/json', '{"status":"accepted"}');
console.log('accepted');
