import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** Loaded as by a program in CommonJS: an `import` makes Node load its client for WebSockets as well. */
export const { createServer, STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof import('node:http');

/** Node stores the answer under way on the socket itself. */
export type HttpSocket = Socket & { readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null };

/**
 * A client may end its side of the connection after its request, as `nc -N` does, and wait for the answer. Node would end the other side at
 * once, before the answer; with this property, which its documentation leaves out, it does so behind the answer.
 */
export function answerHalfClosed(server: Server): Server {
  return Object.assign(server, { httpAllowHalfOpen: true });
}
