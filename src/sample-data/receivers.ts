import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a receiver of a partner answers to an event at this moment. */
export type Answers = (path: string, body: string) => number;

/** The receivers of the partners, on this machine, while the sample data are made. */
export interface Receivers {
  readonly port: number;
  close(): void;
}

/**
 * @param port The one that an interrupted run had; another one when it is taken.
 */
export async function openReceivers(port: number, answers: Answers): Promise<Receivers> {
  const server = createServer((request, response) => void answer(request, response, answers).catch(() => response.destroy()));
  await listen(server, port).catch(() => listen(server, 0));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, answers: Answers): Promise<void> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const { data } = JSON.parse(body) as { data?: { challenge?: unknown } };
  if (typeof data?.challenge === 'string') {
    response.end(JSON.stringify({ challenge: data.challenge }));
    return;
  }
  const status = answers(request.url ?? '', body);
  response.statusCode = status;
  response.end(status < 300 ? '' : JSON.stringify({ error: status === 503 ? 'maintenance' : 'failed' }));
}
