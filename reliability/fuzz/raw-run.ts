/** Sends the raw corpus, each case on a connection of its own, and judges what came back and what was stored. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { RawCase } from './raw-case.ts';
import { onlyHeader, readAnswer, type WireAnswer } from './wire-format.ts';

export interface RawOptions {
  readonly port: number;
  readonly pool: Pool;
  readonly report: (violation: string, kind?: string) => void;
}

export interface RawFigures {
  readonly byStatus: Readonly<Record<string, number>>;
  /** Cases whose connection was cut without any answer. */
  readonly cut: readonly string[];
}

const AT_ONCE = 16;
/** When nothing more has come for so long behind an answer, nothing more will. */
const QUIET_MS = 300;
const TIMEOUT_MS = 5_000;
const SETTLED_AFTER_MS = 1_000;

export async function sendRawCorpus(corpus: readonly RawCase[], { port, pool, report }: RawOptions): Promise<RawFigures> {
  const byStatus: Record<string, number> = {};
  const cut: string[] = [];
  const read: { each: RawCase; answers: readonly WireAnswer[] }[] = [];
  let next = 0;
  const client = async () => {
    for (let each = corpus[next++]; each; each = corpus[next++]) {
      const heard = await send(each, port);
      const answers = readAll(each, heard, report);
      for (const { status } of answers) byStatus[status] = (byStatus[status] ?? 0) + 1;
      if (answers.length === 0) cut.push(each.name);
      checkAnswers(each, answers, report);
      read.push({ each, answers });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  // A request that was cut goes on: what it stores is there only some time after its connection is gone.
  await sleep(SETTLED_AFTER_MS);
  for (const { each, answers } of read) await checkStored(each, answers, { pool, report });
  return { byStatus, cut };
}

interface Heard {
  readonly bytes: Buffer;
  readonly isClosed: boolean;
}

/** Resolves when the service closes the connection, or is done with it. */
function send({ bytes, isCutOff }: RawCase, port: number): Promise<Heard> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      if (isCutOff) socket.end(bytes);
      else socket.write(bytes);
    });
    const conclude = (isClosed: boolean) => {
      clearTimeout(quiet);
      socket.destroy();
      resolve({ bytes: received, isClosed });
    };
    let quiet = setTimeout(() => conclude(false), TIMEOUT_MS);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      clearTimeout(quiet);
      quiet = setTimeout(() => conclude(false), QUIET_MS);
    });
    socket.on('end', () => conclude(true));
    socket.on('error', () => conclude(true));
    socket.on('close', () => conclude(true));
  });
}

/** All the answers in what was heard. */
function readAll({ name, bytes }: RawCase, heard: Heard, report: RawOptions['report']): WireAnswer[] {
  const answers: WireAnswer[] = [];
  const isHead = bytes.toString('latin1').startsWith('HEAD ');
  let rest = heard.bytes;
  try {
    for (let found = readAnswer(rest, { isHead }); found; found = readAnswer(rest, { isHead })) {
      answers.push(found.answer);
      rest = rest.subarray(found.length);
    }
    if (rest.length > 0)
      report(`raw, ${name}: bytes that are no answer: ${JSON.stringify(rest.toString('latin1').slice(0, 100))}`);
  } catch (error) {
    report(`raw, ${name}: ${(error as Error).message}`);
  }
  if (answers.length === 0 && !heard.isClosed) report(`raw, ${name}: neither an answer nor an end within ${TIMEOUT_MS / 1000} s`);
  return answers;
}

function checkAnswers({ name }: RawCase, answers: readonly WireAnswer[], report: RawOptions['report']): void {
  for (const answer of answers) {
    const complain = (what: string) => report(`raw, ${name}: ${what}: ${answer.status} ${answer.body.slice(0, 200)}`);
    if (answer.status >= 500) complain('a 5xx');
    if (onlyHeader(answer, 'cache-control') !== 'no-store') complain('no Cache-Control: no-store');
    const correlationId = onlyHeader(answer, 'x-correlation-id');
    if (!correlationId || !/^[A-Za-z0-9._:-]{8,128}$/.test(correlationId)) complain('no X-Correlation-ID');
    if (answer.status >= 400) checkError(answer, correlationId, complain);
  }
}

function checkError({ body }: WireAnswer, correlationId: string | undefined, complain: (what: string) => void): void {
  try {
    const { error } = JSON.parse(body);
    if (error.correlation_id !== correlationId) complain('another correlation_id in the body');
    if (typeof error.code !== 'string' || typeof error.message !== 'string' || typeof error.retryable !== 'boolean')
      complain('no envelope');
  } catch {
    complain('a body that is no envelope');
  }
}

/** A stored contribution was acknowledged, or its sender heard nothing; what was refused, or hidden, is not stored. */
async function checkStored(
  { name, events, storable }: RawCase,
  answers: readonly WireAnswer[],
  { pool, report }: Pick<RawOptions, 'pool' | 'report'>,
): Promise<void> {
  if (events.length === 0) return;
  const text =
    'select partner_event_id as event, count(*)::int4 as rows from contribution where partner_event_id = any($1) group by 1';
  const { rows } = await pool.query<{ event: string; rows: number }>(text, [events]);
  const stored = new Set(rows.map(({ event }) => event));
  for (const row of rows) {
    if (row.rows > 1) report(`raw, ${name}: ${row.event} is stored ${row.rows} times`);
    if (!storable.includes(row.event)) report(`raw, ${name}: ${row.event} is stored and must not be`);
  }
  const acknowledged = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => eventOf(body)));
  for (const event of acknowledged) if (!stored.has(event)) report(`raw, ${name}: ${event} is acknowledged and not stored`);
  const untold = [...stored].filter((event) => !acknowledged.has(event));
  const hasRefusal = answers.some(({ status }) => status !== 201);
  if (untold.length > 0 && hasRefusal)
    report(`raw, ${name}: ${untold[0]} is stored, and its sender read ${answers.map(({ status }) => status).join(', ')}`);
}

function eventOf(body: string): string {
  return JSON.parse(body).contribution.partner_event_id;
}
