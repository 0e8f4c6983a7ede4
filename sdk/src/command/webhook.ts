import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject } from '../decode.ts';
import { type ExactJson, parseExactJson } from '../exact-json.ts';
import { readFile, readNumber, readOptions, readSecret, required, trimSecret, UsageError } from './arguments.ts';
import { explainSignature, type SignatureVerdict } from './explain-signature.ts';
import { escapeForTerminal, printJson, printLine, printProgress } from './output.ts';
import { verdictInWords, verdictToWire } from './present-verdict.ts';
import { readHeaders } from './read-headers.ts';

export const WEBHOOK_HELP = `Usage: partner-impact-sdk webhook verify --secret-file FILE --headers FILE --body FILE [--now SECONDS] [--json]
       partner-impact-sdk webhook listen [--port PORT] [--secret-file FILE] [--status STATUS] [--json]

verify  verifies the signature of a stored delivery, and says exactly which part differs; exit code 1 when it is not valid
  --secret-file FILE  file with the endpoint's secret
  --headers FILE      headers of the delivery: "Name: value" lines as curl prints them, or a JSON object
  --body FILE         body of the delivery, byte for byte
  --now SECONDS       time of receipt, Unix seconds; now unless given

listen  receives events on this machine and shows each with its verification, until Ctrl-C
  --port PORT         port on 127.0.0.1; a free one unless given
  --secret-file FILE  file with the endpoint's secret, or set WEBHOOK_SECRET
  --status STATUS     HTTP status of the answers; 200 unless given

--json prints one JSON object for each, for programs.`;

const BODY_BYTES_MAX = 1_048_576;
/** Enough for a day of tests; older ids count as new. */
const REMEMBERED_EVENTS_MAX = 10_000;

type Verdict = SignatureVerdict | { readonly status: 'not_checked' };

/** @returns The exit code. */
export async function webhook([action, ...words]: readonly string[]): Promise<number> {
  if (action === 'verify') return verify(words);
  if (action === 'listen') return listen(words);
  throw new UsageError('webhook has the commands verify and listen.');
}

function verify(words: readonly string[]): number {
  const options = readOptions(words, {
    'secret-file': { type: 'string' },
    headers: { type: 'string' },
    body: { type: 'string' },
    now: { type: 'string' },
    json: { type: 'boolean' },
  });
  const secret = readSecret(required('secret-file', options['secret-file']));
  const verdict = explainSignature({
    secret,
    headers: readHeadersFile(required('headers', options.headers)),
    body: readFile(required('body', options.body)),
    nowSeconds: readNumber('now', options.now, { otherwise: Math.floor(Date.now() / 1000), max: 1e12 }),
  });
  const text = options.json ? JSON.stringify(verdictToWire(verdict)) : verdictInWords(verdict);
  // A person who writes headers by hand may have put the secret in place of the signature.
  printLine(text.replaceAll(secret, 'whsec_…'));
  return verdict.status === 'valid' ? 0 : 1;
}

function readHeadersFile(path: string): Record<string, string> {
  const text = readFile(path).toString('utf8');
  try {
    return readHeaders(text);
  } catch (failure) {
    if (failure instanceof SyntaxError) throw new UsageError(`${path} does not hold headers: ${failure.message}.`);
    throw failure;
  }
}

interface Listening {
  readonly secret: string | undefined;
  readonly status: number;
  readonly isJson: boolean;
  readonly known: Set<string>;
}

async function listen(words: readonly string[]): Promise<number> {
  const options = readOptions(words, {
    port: { type: 'string' },
    'secret-file': { type: 'string' },
    status: { type: 'string' },
    json: { type: 'boolean' },
  });
  const secret = findSecret(options['secret-file']);
  const status = readNumber('status', options.status, { otherwise: 200, max: 599 });
  if (status < 200) throw new UsageError('--status must be a status of HTTP from 200 to 599.');
  const port = readNumber('port', options.port, { otherwise: 0, max: 65_535 });
  const listening = { secret, status, isJson: options.json === true, known: new Set<string>() };
  const server = createServer((request, response) => {
    receive(request, response, listening).catch((failure: Error) => {
      printProgress(`A request broke off: ${failure.message}.`);
      response.destroy();
    });
  });
  server.listen({ host: '127.0.0.1', port });
  await once(server, 'listening').catch((failure: NodeJS.ErrnoException) => {
    throw new UsageError(`--port ${port} cannot be used (${failure.code}).`);
  });
  printProgress(`Receiving events at http://127.0.0.1:${(server.address() as AddressInfo).port}/ until Ctrl-C.`);
  if (secret === undefined)
    printProgress('Signatures are not verified without a secret: --secret-file FILE, or the variable WEBHOOK_SECRET.');
  // Nobody reads the lines any more when the program behind a pipe has ended, such as `head`.
  await Promise.race([...['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)), once(process.stdout, 'error')]);
  server.close();
  server.closeAllConnections();
  return 0;
}

function findSecret(path: string | undefined): string | undefined {
  if (path !== undefined) return readSecret(path);
  const { WEBHOOK_SECRET: variable = '' } = process.env;
  return variable === '' ? undefined : trimSecret(variable, 'WEBHOOK_SECRET');
}

/** Unlike a real receiver it answers all events alike, so that a problem is read here and not guessed from what the service does next. */
async function receive(request: IncomingMessage, response: ServerResponse, listening: Listening): Promise<void> {
  if (request.method !== 'POST') {
    printProgress(`${request.method} was answered 405: events are sent by POST.`);
    return void response.writeHead(405, { allow: 'POST' }).end();
  }
  const body = await readBody(request);
  if (body === undefined) {
    printProgress(`A body of more than ${BODY_BYTES_MAX} bytes was answered 413.`);
    return void response.writeHead(413).end();
  }
  const envelope = readEnvelope(body);
  show(request, body, envelope, listening);
  const challenge = isJsonObject(envelope['data']) ? envelope['data']['challenge'] : undefined;
  if (envelope['event_type'] !== 'webhook.endpoint.verification' || typeof challenge !== 'string')
    return void response.writeHead(listening.status).end();
  return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ challenge }));
}

interface Shown {
  readonly receivedAt: Date;
  readonly verdict: Verdict;
  readonly eventId: string | undefined;
  readonly isRepeated: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly envelope: JsonObject;
}

function show(request: IncomingMessage, body: Buffer, envelope: JsonObject, { secret, isJson, known }: Listening): void {
  const receivedAt = new Date();
  const headers = ownHeaders(request);
  const nowSeconds = Math.floor(receivedAt.getTime() / 1000);
  const verdict: Verdict =
    secret === undefined ? { status: 'not_checked' } : explainSignature({ secret, headers, body, nowSeconds });
  const eventId = textOf(envelope['event_id']) ?? headers['x-service-event-id'];
  const isRepeated = eventId !== undefined && known.has(eventId);
  // An id in a forged request must not make the service's own delivery look like a duplicate.
  if (eventId !== undefined && (verdict.status === 'valid' || verdict.status === 'not_checked')) remember(known, eventId);
  const shown = { receivedAt, verdict, eventId, isRepeated, headers, body, envelope };
  if (isJson) showAsJson(shown);
  else showAsText(shown);
}

/** The body stays text: a number in it may be larger than JavaScript's exact integers. */
function showAsJson({ receivedAt, verdict, isRepeated, headers, body }: Shown): void {
  printJson({
    received_at: receivedAt.toISOString(),
    verdict: parseExactJson(JSON.stringify(verdictToWire(verdict))),
    repeated: isRepeated,
    headers,
    body: body.toString('utf8'),
  });
}

function showAsText({ receivedAt, verdict, eventId, isRepeated, headers, envelope }: Shown): void {
  const { event_type: eventType, sequence } = envelope;
  const parts = [
    receivedAt.toISOString(),
    escapeForTerminal(textOf(eventType) ?? headers['x-service-event-type'] ?? '-'),
    `sequence ${typeof sequence === 'bigint' ? sequence : '-'}`,
    escapeForTerminal(eventId ?? '-'),
    `attempt ${escapeForTerminal(headers['x-service-attempt'] ?? '-')}`,
    ...(isRepeated ? ['repeated'] : []),
    verdict.status.replaceAll('_', ' '),
  ];
  printLine(parts.join('  '));
  if (verdict.status !== 'valid' && verdict.status !== 'not_checked') printLine(`    ${verdictInWords(verdict)}`);
}

function remember(known: Set<string>, eventId: string): void {
  known.add(eventId);
  const [oldest = ''] = known;
  if (known.size > REMEMBERED_EVENTS_MAX) known.delete(oldest);
}

/** `undefined` beyond the limit. The rest is read and dropped, so that the sender gets its answer. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= BODY_BYTES_MAX) chunks.push(chunk);
    else chunks.length = 0;
  }
  return length <= BODY_BYTES_MAX ? Buffer.concat(chunks) : undefined;
}

/** Without members when the body is not the JSON that the service sends. */
function readEnvelope(body: Buffer): JsonObject {
  try {
    const value = parseExactJson(body.toString('utf8'));
    return isJsonObject(value) ? value : {};
  } catch (failure) {
    if (failure instanceof SyntaxError) return {};
    throw failure;
  }
}

/** Those that the signature and the delivery are about, names in lower case. */
function ownHeaders(request: IncomingMessage): Record<string, string> {
  const own = Object.entries(request.headers).filter(([name]) => /^(?:x-service|webhook)-/.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

function textOf(value: ExactJson | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
