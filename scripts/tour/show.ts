import { once } from 'node:events';
import { request } from 'node:http';
import { styleText } from 'node:util';
import { readJson } from '../../src/domain/parse-json.ts';
import type { Answer, Call, Story } from './story.ts';

/** Headers of an answer that a reader learns something from. */
const SHOWN_HEADERS = ['location', 'idempotent-replayed', 'retry-after', 'x-correlation-id'];

/** Sends what the story asks for, and shows it. */
export function openPrinter({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Story {
  const say = (text = '') => process.stdout.write(`${text}\n`);
  return {
    chapter: (title) => say(`\n${styleText(['bold', 'cyan'], `── ${title} ${'─'.repeat(Math.max(0, 76 - title.length))}`)}`),
    explain: (sentence) => say(styleText('gray', sentence)),
    command: (line) => say(`\n${styleText('yellow', '$')} ${styleText('bold', line)}`),
    output: (text) => say(text),
    async call(call) {
      printRequest(say, call);
      const response = await fetch(baseUrl + call.path, toFetch(call, apiKey));
      const body = readJson(await response.text()) as Answer['body'];
      printAnswer(say, { status: response.status, headers: response.headers, body });
      return { status: response.status, headers: response.headers, body };
    },
    async loseAnswer(call) {
      printRequest(say, call);
      await sendAndHangUp(baseUrl, apiKey, call);
      say(styleText(['bold', 'red'], '✂ the connection is lost before the answer'));
    },
  };
}

function headersOf({ method, idempotencyKey }: Call): Record<string, string> {
  return {
    ...(method === 'POST' && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
}

function toFetch(call: Call, apiKey: string): RequestInit {
  const headers = { ...headersOf(call), 'x-api-key': apiKey };
  return { method: call.method, headers, ...(call.body !== undefined && { body: JSON.stringify(call.body) }) };
}

/** The request leaves whole; the connection is cut before an answer can come. */
async function sendAndHangUp(baseUrl: string, apiKey: string, call: Call): Promise<void> {
  const sent = request(baseUrl + call.path, {
    method: call.method,
    headers: { ...headersOf(call), 'x-api-key': apiKey },
    agent: false,
  });
  sent.on('error', () => {});
  sent.end(JSON.stringify(call.body));
  await once(sent, 'finish');
  await new Promise((resolve) => setImmediate(resolve));
  sent.destroy();
}

function printRequest(say: (text?: string) => void, call: Call): void {
  say(`\n${styleText(['bold', 'yellow'], call.method)} ${call.path}`);
  for (const [name, value] of Object.entries(headersOf(call))) say(styleText('dim', `${name}: ${value}`));
  if (call.body !== undefined) say(JSON.stringify(call.body, null, 2));
}

function printAnswer(say: (text?: string) => void, { status, headers, body }: Answer): void {
  say(styleText(['bold', status < 300 ? 'green' : 'magenta'], `→ ${status}`));
  for (const name of SHOWN_HEADERS) if (headers.has(name)) say(styleText('dim', `${name}: ${headers.get(name)}`));
  say(JSON.stringify(body, (_name, item) => (typeof item === 'bigint' ? Number(item) : item), 2));
}
