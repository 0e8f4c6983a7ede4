import cluster from 'node:cluster';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { promisify } from 'node:util';
import type { FastifyInstance, FastifyListenOptions } from 'fastify';
import type { HttpSocket } from './node-http.ts';

/**
 * Node takes one connection from a listening socket in a turn of its event loop, and under load a turn takes tens of milliseconds: with
 * one socket, new connections would wait for seconds. So several sockets listen on the port.
 *
 * @see docs/decisions/0073-overload.md#decision
 */
const SOCKETS = 16;
/** The most connections that wait at a socket. The system drops further ones, and the client tries again a second later. */
const BACKLOG = 4_096;

export interface Address {
  readonly host: string;
  /** 0 for a port that the system chooses. */
  readonly port: number;
}

export interface Listening {
  readonly baseUrl: string;
  countConnections(): Promise<number>;
  /** Accepts no more connections, and closes those without a request under way. Resolves when the others are closed too. */
  close(): Promise<void>;
}

/**
 * Listens for connections.
 *
 * @throws Error Of the system, such as `EADDRINUSE`, when another program has the port. Then nothing listens, and the app is closed where it did.
 */
export async function listen(app: FastifyInstance, { host, port }: Address): Promise<Listening> {
  // With several processes the first one accepts the connections, and it has the time.
  const reusePort = process.platform === 'linux' && cluster.isPrimary;
  // Sockets that share a port would also share it with another service of the same user.
  if (reusePort && port > 0) await closeServer(await open(createServer(), { host, port, exclusive: true }));
  // The framework passes on options that it does not know, such as reusePort.
  const options: FastifyListenOptions & ListenOptions = { host, port, backlog: BACKLOG, reusePort };
  const closeUnused = trackConnections(app.server);
  const baseUrl = await app.listen(options);
  const servers: Server[] = [];
  const close = async () => {
    const closed = servers.map(closeServer);
    closeUnused();
    await Promise.all([app.close(), ...closed]);
  };
  try {
    for (const address of reusePort ? app.addresses() : [])
      for (let count = 1; count < SOCKETS; count++)
        servers.push(await open(createFurther(app), { ...options, ...portOf(address) }));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    baseUrl,
    async countConnections() {
      const counts = await Promise.all([app.server, ...servers].map((server) => promisify(server.getConnections).call(server)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    close,
  };
}

/** Like the first socket: the code that pauses it also resumes its connections. */
function createFurther({ server }: FastifyInstance): Server {
  const { pauseOnConnect = false } = server as Server & { readonly pauseOnConnect?: boolean };
  return createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect }, (socket) => server.emit('connection', socket));
}

/**
 * Node closes idle connections when it closes their server, but waits without a limit for one that has not sent a whole head.
 *
 * @returns A function that closes each connection without a request under way, and from then on each new one.
 */
function trackConnections(server: HttpServer): () => void {
  const connections = new Set<HttpSocket>();
  let isClosing = false;
  server.on('connection', (socket: HttpSocket) => {
    if (isClosing) {
      socket.destroy();
      return;
    }
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return () => {
    isClosing = true;
    for (const socket of connections) if (!socket._httpMessage) socket.destroySoon();
  };
}

function portOf(address: AddressInfo | string): Pick<ListenOptions, 'host' | 'port'> {
  if (typeof address === 'string') throw new Error(`${address} is no address of a port`);
  return { host: address.address, port: address.port };
}

function open(server: Server, options: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => resolve(server));
  });
}

const closeServer = (server: Server): Promise<void> => promisify(server.close).call(server);
