import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** Loaded as by a program in CommonJS: an `import` makes Node load its client for WebSockets as well. */
export const { createServer, STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof import('node:http');

/** Node stores on the socket itself the answer under way, and with its parser the request that arrives. */
export type HttpSocket = Socket & {
  readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
};

/**
 * A client may end its side of the connection after its request, as `nc -N` does, and wait for the answer. Node would end the other side at
 * once, before the answer; with this property, which its documentation leaves out, it does so behind the answer.
 */
export function answerHalfClosed(server: Server): Server {
  return Object.assign(server, { httpAllowHalfOpen: true });
}
