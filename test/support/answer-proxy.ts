import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** What becomes of one request. */
export type Fault =
  /** The service answers, and the answer gets through. */
  | 'none'
  /** The connection is cut before the service has the request. */
  | 'request_lost'
  /** The service answers, and the connection is cut instead. */
  | 'answer_lost'
  /** The service answers, and half of it gets through. */
  | 'answer_cut'
  /** The service answers, and nothing is ever sent on. */
  | 'silence'
  /** The service answers, and each byte takes a second. */
  | 'trickle'
  /** Something happens just before the service gets the request. */
  | (() => Promise<void>)
  /** A gateway before the service answers by itself. */
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string };

export interface AnswerProxy {
  readonly baseUrl: string;
  /** Of every request: method, and what became of it, such as `POST 201` or `GET silence`. */
  readonly exchanges: string[];
  /** The idempotency keys that came. */
  readonly keys: Set<string>;
}

/**
 * Stands between a partner and the service, so that a test can lose requests and answers.
 *
 * @param faults For the first requests, one each; the last one is for all that follow. Or by the method of a request.
 */
export async function answerProxy(
  serviceUrl: string,
  faults: readonly Fault[] | ((method: string) => Fault),
): Promise<AnswerProxy> {
  const next = typeof faults === 'function' ? faults : () => faults[Math.min(count++, faults.length - 1)] ?? 'none';
  const [exchanges, keys]: [string[], Set<string>] = [[], new Set()];
  let count = 0;
  const server = createServer(async (incoming, outgoing) => {
    const fault = next(incoming.method ?? '');
    const recordStatus = (what: string | number | undefined) => exchanges.push(`${incoming.method} ${what}`);
    if (incoming.headers['idempotency-key']) keys.add(String(incoming.headers['idempotency-key']));
    if (typeof fault === 'object') {
      recordStatus(fault.status);
      return void outgoing.writeHead(fault.status, fault.headers).end(fault.body);
    }
    if (fault === 'request_lost') {
      recordStatus(fault);
      return void incoming.destroy();
    }
    if (typeof fault === 'function') await fault();
    const answer = await forward(serviceUrl, incoming);
    recordStatus(typeof fault === 'function' || fault === 'none' ? answer.message.statusCode : fault);
    if (fault !== 'silence') sendOn(answer, outgoing, fault);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, exchanges, keys };
}

interface Whole {
  readonly message: IncomingMessage;
  readonly body: Buffer;
}

async function forward(serviceUrl: string, incoming: IncomingMessage): Promise<Whole> {
  const { method, headers, url } = incoming;
  const outgoing = request(new URL(url ?? '/', serviceUrl), { method, headers, agent: false });
  incoming.pipe(outgoing);
  const [message] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { message, body: Buffer.concat(await Array.fromAsync(message)) };
}

function sendOn({ message, body }: Whole, outgoing: ServerResponse, fault: Fault): void {
  if (fault === 'answer_lost') return void outgoing.destroy();
  outgoing.writeHead(message.statusCode ?? 0, message.headers);
  if (fault === 'trickle') return void trickle(body, outgoing);
  if (fault !== 'answer_cut') return void outgoing.end(body);
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
}

function trickle(body: Buffer, outgoing: ServerResponse): void {
  let sent = 0;
  const timer = setInterval(() => outgoing.write(body.subarray(sent, ++sent)), 1_000);
  outgoing.on('close', () => clearInterval(timer));
}
