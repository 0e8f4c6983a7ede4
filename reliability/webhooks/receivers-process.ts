/**
 * A process with the receivers of some endpoints: what they cost disturbs neither the load nor each other. Healthy ones verify,
 * describe and answer 200 at once; the others do what they were told. A program of its own, spoken to by messages.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { answerFaultily, answers2xx, type Fault, HOLDING_FAULTS } from './faults.ts';
import type { Arrival, Holding, Order, Report, Tls } from './messages.ts';
import { type Envelope, type Received, verifyDelivery } from './verify-delivery.ts';

const REPORT_EVERY_MS = 200;
const CHALLENGE_TYPE = 'webhook.endpoint.verification';
const LOOPBACK = '127.0.0.1';

interface Receiver {
  readonly endpoint: number;
  secret: string | undefined;
  fault: Fault | undefined;
  requests: number;
  /** The challenge comes before anybody has the secret: it is judged as soon as it is known. */
  readonly unverified: Received[];
}

const receivers = new Map<number, Receiver>();
const knownEvents = new Set<string>();
const inward: string[] = [];
let arrivals: Arrival[] = [];
let holdings: Holding[] = [];
let reachedInward = 0;

process.on('message', async ({ number, order }: { number: number; order: Order }) => {
  const ports = await obey(order);
  tell({ kind: 'done', order: number, ...(ports && { ports }) });
});
process.on('disconnect', () => process.exit());
setInterval(handOver, REPORT_EVERY_MS);

async function obey(order: Order): Promise<Record<number, number> | undefined> {
  if (order.kind === 'open') return open(order);
  if (order.kind === 'hand_over') return void handOver();
  const receiver = receivers.get(order.endpoint) as Receiver;
  if (order.kind === 'behave') receiver.fault = order.fault;
  else learnSecret(receiver, order.secret);
  return undefined;
}

/** @returns The port of each endpoint. */
async function open({ endpoints, host, tls }: Order & { kind: 'open' }): Promise<Record<number, number>> {
  const ports: Record<number, number> = {};
  for (const endpoint of endpoints) {
    const receiver: Receiver = { endpoint, secret: undefined, fault: undefined, requests: 0, unverified: [] };
    receivers.set(endpoint, receiver);
    const port = await listen(serve(receiver, tls), host, 0);
    ports[endpoint] = port;
    // Where a name that led to the receiver may lead to instead.
    if (host !== LOOPBACK) await listenInward(port);
  }
  if (host === LOOPBACK) await listenInward(0);
  return ports;
}

/** Nobody may be sent here. */
async function listenInward(port: number): Promise<void> {
  const server = createTcpServer((socket) => {
    reachedInward++;
    socket.destroy();
  });
  const taken = await listen(server, LOOPBACK, port);
  inward.push(`http://${LOOPBACK}:${taken}/inward`, `http://localhost:${taken}/inward`, `//${LOOPBACK}:${taken}/inward`);
}

function serve(receiver: Receiver, tls: Tls | undefined): Server {
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void receive(receiver, request, response);
  return tls ? createHttpsServer({ ...tls }, onRequest) : createHttpServer(onRequest);
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function receive(receiver: Receiver, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const atMs = Date.now();
  const { fault } = receiver;
  response.on('error', () => {});
  if (fault !== undefined && HOLDING_FAULTS.includes(fault))
    response.once('close', () => holdings.push({ fault, heldMs: Date.now() - atMs }));
  const body = await readBody(request);
  if (body === undefined) return;
  const received = { method: request.method, headers: request.headers, body, atMs };
  if (receiver.secret === undefined) return answerChallenge(receiver, received, response);
  const { envelope, defect } = verifyDelivery(receiver.secret, received);
  const isFaulty = fault !== undefined && envelope !== undefined;
  const inTurn = { request, response, number: receiver.requests++, inward };
  const retryAfterMs = isFaulty ? answerFaultily(fault, inTurn) : void response.end();
  arrivals.push({
    ...describe(received, envelope),
    endpoint: receiver.endpoint,
    defect,
    is2xx: answers2xx(fault),
    retryAfterMs,
  });
}

/** `undefined` when the sender went away, as one that is killed does. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

function answerChallenge(receiver: Receiver, received: Received, response: ServerResponse): void {
  const { event_type, data } = JSON.parse(received.body.toString()) as Envelope;
  receiver.unverified.push(received);
  response.end(event_type === CHALLENGE_TYPE ? JSON.stringify({ challenge: data.challenge }) : undefined);
}

function learnSecret(receiver: Receiver, secret: string): void {
  receiver.secret = secret;
  for (const received of receiver.unverified.splice(0)) {
    const { envelope, defect } = verifyDelivery(secret, received);
    const isOdd = envelope !== undefined && (envelope.event_type !== CHALLENGE_TYPE || envelope.sequence !== null);
    const found = defect ?? (isOdd ? 'it is no challenge without a sequence' : undefined);
    if (found === undefined) continue;
    const { endpoint } = receiver;
    arrivals.push({
      ...describe(received, envelope),
      endpoint,
      defect: `the challenge: ${found}`,
      is2xx: true,
      retryAfterMs: undefined,
    });
  }
}

function describe({ headers, body, atMs }: Received, envelope: Envelope | undefined) {
  const eventId = envelope?.event_id ?? '';
  const isNew = envelope !== undefined && !knownEvents.has(eventId);
  knownEvents.add(eventId);
  return {
    atMs,
    eventId,
    eventType: envelope?.event_type ?? '',
    sequence: envelope?.sequence ?? 0,
    occurredAtMs: Date.parse(envelope?.occurred_at ?? ''),
    attempt: Number(headers['x-service-attempt']),
    digest: createHash('sha256').update(body).digest('base64'),
    body: isNew ? body.toString() : undefined,
  };
}

function handOver(): void {
  const seen = { arrivals, holdings, reachedInward };
  [arrivals, holdings] = [[], []];
  tell({ kind: 'seen', ...seen });
}

function tell(report: Report): void {
  process.send?.(report);
}
