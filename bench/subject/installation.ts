/** A subject with its database, a partner, and the records that look-ups and replays ask for. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { readUsage, type Usage } from '../../reliability/harness/process-usage.ts';
import type { LoadRequest, NumberedRows } from '../load/load.ts';
import { confirm, type HttpRequest, REQUESTS } from '../load/requests.ts';
import { fill } from '../rows/fill.ts';
import { newToken } from '../rows/identifiers.ts';
import { openPool, readServer, type Server, settle } from './database.ts';
import { type Partner, Subject, type SubjectOptions } from './subject.ts';

/** How many contributions a small database holds. */
export const SMALL_ROWS = 10_000;
const REPLAYABLE = 2_000;
const AT_ONCE = 50;

export interface Installation {
  readonly subject: Subject;
  readonly pool: pg.Pool;
  server: Server;
  readonly partner: Partner;
  /** Call in the one partner's place, in turns. */
  readonly crowd?: readonly Partner[];
  known: NumberedRows;
  readonly replayable: NumberedRows;
}

/** With ten thousand rows, whose statistics are known. */
export async function install(
  options: SubjectOptions,
  cleanUp: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Installation> {
  const { subject, pool, partner } = await begin(options, cleanUp, signal);
  const known = await fill(
    pool,
    { partnerId: partner.partnerId, known: { token: newToken(), count: 0 }, rows: SMALL_ROWS },
    signal,
  );
  await settle(pool);
  const replayable = { token: newToken(), count: REPLAYABLE };
  await makeReplayable(subject, partner, replayable);
  return { subject, pool, server: await readServer(pool), partner, known, replayable };
}

/** With the few rows that look-ups and replays ask for, on a database of which nothing is known yet. */
export async function installEmpty(
  options: SubjectOptions,
  cleanUp: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Installation> {
  const { subject, pool, partner } = await begin(options, cleanUp, signal);
  const replayable = { token: newToken(), count: REPLAYABLE };
  await makeReplayable(subject, partner, replayable);
  return { subject, pool, server: await readServer(pool), partner, known: replayable, replayable };
}

async function begin(
  options: SubjectOptions,
  cleanUp: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Pick<Installation, 'subject' | 'pool' | 'partner'>> {
  const subject = await Subject.create(options);
  cleanUp.defer(() => subject.stop());
  await subject.start(signal);
  const pool = openPool(subject.databaseUrl);
  cleanUp.defer(() => pool.end());
  return { subject, pool, partner: await subject.makePartner() };
}

/** The service itself has to make these: what it compares a replay with is nobody else's affair. */
export async function makeReplayable(
  { baseUrl }: Subject,
  { apiKey, apiKeys }: Pick<LoadRequest, 'apiKey' | 'apiKeys'>,
  { token, count }: NumberedRows,
): Promise<void> {
  let next = 1;
  const make = async () => {
    while (next <= count) await send(baseUrl, confirm({ apiKey, apiKeys, token }, next++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
}

/** @throws Error When the answer is not 2xx. */
async function send(baseUrl: string, { method, path, headers, body }: HttpRequest): Promise<string> {
  const answer = await fetch(baseUrl + path, { method, headers: { ...headers }, ...(body !== undefined && { body }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  return text;
}

/** One answer of each kind, for the constant route to repeat. */
export async function sampleAnswers(installation: Installation): Promise<{ confirm: string; lookup: string; estimate: string }> {
  const { subject, partner, known, replayable } = installation;
  const terms = { apiKey: partner.apiKey, token: newToken(), known, replayable };
  const answerTo = (scenario: 'confirm' | 'lookup-by-event' | 'estimate') => send(subject.baseUrl, REQUESTS[scenario](terms, 1));
  return {
    confirm: await answerTo('confirm'),
    lookup: await answerTo('lookup-by-event'),
    estimate: await answerTo('estimate'),
  };
}

/** @returns After how many seconds the service was ready again, on the database that was there. */
export async function restart(installation: Installation, signal: AbortSignal): Promise<number> {
  const { subject, pool } = installation;
  await subject.stop();
  const seconds = await subject.start(signal);
  // The embedded server stopped and started with the service.
  for (let attempt = 1; ; attempt++) {
    try {
      installation.server = await readServer(pool);
      return seconds;
    } catch (error) {
      if (attempt === 5) throw error;
      await sleep(100);
    }
  }
}

export interface ServiceUsage {
  readonly service: Usage;
  /** `undefined` for a server on another machine. */
  readonly database: Usage | undefined;
}

/** The embedded server is a child of the service, and is not counted as part of it. */
export function readServiceUsage({ subject, server }: Installation): ServiceUsage {
  return {
    service: readUsage(subject.pid, server.pid),
    database: server.pid === undefined ? undefined : readUsage(server.pid),
  };
}
