/** The receivers of examples/ in other languages, each with an inbox of its own. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import { freePort } from '../../../reliability/harness/free-port.ts';
import { type ExactJson, parseExactJson, stringifyExactJson } from '../../../sdk/src/exact-json.ts';
import { failedEvent, signedRequest } from '../../../sdk/src/testing.ts';
import { waitFor } from '../assertions/wait-for.ts';
import { ROOT } from '../document-blocks.ts';
import { buildGo, type Language } from '../sample.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface Example {
  readonly language: Language;
  command(): readonly string[];
  /** Failures whose points were given back, with the points. */
  listRestorations(inbox: string): object[];
  countUnhandled(inbox: string): number;
  countHandled(inbox: string): number;
  /** The stored event of the failure. */
  readFailure(inbox: string): string;
  /** Leaves what the earlier form of the program had after it gave points back for this event, the first: it stored the transaction_id alone. */
  storeAsBefore(inbox: string, event: ReturnType<typeof failureOf>): void;
}

function ask(inbox: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(inbox, { readOnly: true, timeout: 5_000 });
  const rows = database.prepare(sql).all();
  database.close();
  return rows.map((row) => ({ ...row }));
}

const filesOf = (inbox: string, pattern: RegExp) => readdirSync(inbox).filter((name) => pattern.test(name));
const STORED = /^\d{19}\.json$/;

function countOfFolder(inbox: string): number {
  const position = join(inbox, 'position');
  return existsSync(position) ? Number(readFileSync(position, 'utf8')) : 0;
}

/** An inbox that is a folder. */
export const FOLDER: Omit<Example, 'language' | 'command'> = {
  listRestorations: (inbox) =>
    filesOf(inbox, /^restored-/).map((name) => {
      const { points, ...ids } = parseExactJson(readFileSync(join(inbox, name), 'utf8')) as Record<string, ExactJson>;
      return { ...ids, points: String(points) };
    }),
  countUnhandled: (inbox) => filesOf(inbox, STORED).length - countOfFolder(inbox),
  countHandled: countOfFolder,
  readFailure: (inbox) =>
    filesOf(inbox, STORED)
      .map((name) => readFileSync(join(inbox, name), 'utf8'))
      .find((body) => body.includes('transaction.adjusted')) ?? '',
  storeAsBefore(inbox, event) {
    mkdirSync(inbox);
    writeFileSync(join(inbox, `${'1'.padStart(19, '0')}.json`), stringifyExactJson(event as unknown as ExactJson));
    writeFileSync(join(inbox, event.data.contribution.transaction_id), '250');
    writeFileSync(join(inbox, 'position'), '1');
  },
};

export const EXAMPLES: Readonly<Record<string, Example>> = {
  'receiver.py': {
    language: 'py',
    command: () => ['python3', join(ROOT, 'examples/receiver.py')],
    listRestorations: (inbox) => ask(inbox, 'select * from restored'),
    countUnhandled: (inbox) =>
      Number(ask(inbox, 'select count(*) as waiting from event where handled_at is null')[0]?.['waiting']),
    countHandled: (inbox) =>
      Number(ask(inbox, 'select count(*) as handled from event where handled_at is not null')[0]?.['handled']),
    readFailure: (inbox) => String(ask(inbox, "select body from event where body like '%adjusted%'")[0]?.['body']),
    storeAsBefore(inbox, event) {
      const database = new DatabaseSync(inbox);
      database.exec(`create table if not exists event (event_id text primary key, sequence integer not null unique, body text not null, handled_at real);
        create table if not exists restoration (transaction_id text primary key, points text not null)`);
      const body = stringifyExactJson(event as unknown as ExactJson);
      const sequence = this.countHandled(inbox) + 1;
      database.prepare('insert into event values (?, ?, ?, 1)').run(`evt_before_${sequence}`, sequence, body);
      database.prepare("insert into restoration values (?, '250')").run(event.data.contribution.transaction_id);
      database.close();
    },
  },
  'receiver.go': { language: 'go', command: () => [buildGo('receiver')], ...FOLDER },
  'receiver.php': {
    language: 'php',
    // As a web server and a job of cron have it.
    command: () => ['sh', '-c', 'php "$0" && exec php -S "127.0.0.1:$PORT" "$0"', join(ROOT, 'examples/receiver.php')],
    ...FOLDER,
  },
};

/** @returns The address of a server on this machine. */
export async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  after(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a receiver with an inbox of its own, and waits until it listens. The settings take the place of its own. */
export async function startReceiver(example: Example, settings: Record<string, string>) {
  const PORT = String(await freePort());
  const url = `http://127.0.0.1:${PORT}/`;
  const inbox = settings['INBOX'] ?? join(temporaryFolder('receiver'), 'inbox.db');
  const [program = '', ...args] = example.command();
  const own = { PORT, INBOX: inbox, SECRETS: SECRET, API_KEY: 'pi_sandbox_test', PYTHONDONTWRITEBYTECODE: '1' };
  const env = { ...process.env, ...own, ...settings };
  const receiver = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  receiver.stderr.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  after(() => receiver.kill('SIGKILL'));
  await waitFor('receiver that listens', () => fetch(url).catch(() => undefined));
  const send = async (event: object) => assert.equal((await fetch(signedRequest({ secret: SECRET, event, url }))).status, 200);
  return { inbox, url, send, receiver, printed: () => printed };
}

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const EMPTY_PAGE = '{"events":[],"has_more":false}';
export const listenAsFeed = (page = EMPTY_PAGE) =>
  listen((_request, response) => void response.setHeader('Content-Type', 'application/json').end(page));

/** A failure with an id of the event and of the transaction of its own. */
export function failureOf(sequence: bigint, partnerEventId: string) {
  const event = failedEvent(sequence) as { readonly data: { readonly contribution: { readonly transaction_id: string } } };
  const contribution = { ...event.data.contribution, partner_event_id: partnerEventId };
  return { ...event, data: { ...event.data, contribution } };
}

/** A feed that has these events alone. */
export function answerAsFeed(events: readonly { readonly sequence: bigint }[]): RequestListener {
  return ({ url = '' }, response) => {
    const after = BigInt(new URL(url, 'http://feed').searchParams.get('after_sequence') ?? '0');
    const page = { events: events.filter(({ sequence }) => sequence > after), has_more: false } as unknown as ExactJson;
    response.setHeader('Content-Type', 'application/json').end(stringifyExactJson(page));
  };
}
