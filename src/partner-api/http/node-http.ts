import { createRequire } from 'node:module';

/** Loaded as by a program in CommonJS: an `import` makes Node load its client for WebSockets as well. */
export const { createServer, STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof import('node:http');
