import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** Loaded as by a program in CommonJS: an `import` makes Node load its client for WebSockets as well. */
export const { createServer, STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof import('node:http');

/** Node stores the answer under way on the socket itself. */
export type HttpSocket = Socket & { readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null };
