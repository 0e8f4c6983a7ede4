import { once } from 'node:events';
import { createServer } from 'node:net';

const PORT_MIN = 20_000;
const PORT_MAX = 32_000;

/**
 * A port below those that Linux gives to outgoing connections: the experiments call a port while nobody listens there, and such
 * a call could else be given that very port, connect to itself and keep the service from it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN));
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (!isFree) continue;
    await once(server, 'close');
    return port;
  }
}
