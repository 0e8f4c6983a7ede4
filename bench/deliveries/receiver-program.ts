/**
 * A receiver that costs next to nothing: it reads, counts and answers 200. A program of its own:
 *
 *     node bench/deliveries/receiver-program.ts '{"port":…}'
 *
 * `POST /RUN` is a delivery of that run, or a challenge; `GET /RUN` tells what came of it, and `DELETE /RUN` forgets it.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';

export interface ReceiverSettings {
  readonly port: number;
}

/** What reached the receiver in one run. */
export interface Received {
  count: number;
  /** Between the first and the last. */
  seconds: number;
  /** Open at once at most. */
  connections: number;
  /** Of the first. */
  headers: IncomingHttpHeaders;
}

interface Run extends Received {
  readonly firstAtMs: number;
}

const NOTHING: Received = { count: 0, seconds: 0, connections: 0, headers: {} };
const CHALLENGE_TYPE = 'webhook.endpoint.verification';

if (import.meta.main) serve(JSON.parse(process.argv[2] ?? '{}'));

function serve({ port }: ReceiverSettings): void {
  const runs = new Map<string, Run>();
  let open = 0;
  const countRequest = (run: string, { headers }: IncomingMessage) => {
    const atMs = performance.now();
    const known = runs.get(run) ?? { count: 0, seconds: 0, connections: 0, headers, firstAtMs: atMs };
    runs.set(run, known);
    known.count++;
    known.seconds = (atMs - known.firstAtMs) / 1_000;
    known.connections = Math.max(known.connections, open);
  };
  const server = createServer((request, response) => {
    // A partner's endpoints differ in their query.
    const [run = ''] = (request.url ?? '').split('?');
    if (request.method === 'GET') return void response.end(JSON.stringify(runs.get(run) ?? NOTHING));
    if (request.method === 'DELETE') return void response.end(String(runs.delete(run)));
    if (request.headers['x-service-event-type'] === CHALLENGE_TYPE) return void answerChallenge(request, response);
    countRequest(run, request);
    request.resume().once('end', () => response.end());
  });
  server.on('connection', (socket) => {
    open++;
    socket.once('close', () => open--);
  });
  server.keepAliveTimeout = 72_000;
  server.listen(port, '127.0.0.1');
}

async function answerChallenge(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { challenge: string } };
  response.end(JSON.stringify({ challenge: data.challenge }));
}
