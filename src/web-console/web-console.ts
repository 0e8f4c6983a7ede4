/**
 * This folder serves the operators' console: the files that `npm run console:build` made, and one page for all of its addresses. It
 * knows nothing of the service; what the console shows comes from the operator API.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type BuiltConsole, type BuiltFile, readBuiltConsole } from './built-files.ts';

/** @returns Whether the request was for the console, and is answered. */
export type WebConsole = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Both `src/` and the compiled `dist/` are beside `console/`, so that the path fits both. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/dist', import.meta.url));

const NOT_BUILT = 'The console is not built here. Run `npm run console:build`, then start the service again.\n';
/** Paths of the listener that are no page: an unknown one below them is answered by who owns them. */
const NO_PAGE = /^\/(?:operator|assets|livez|readyz|metrics)(?:\/|$)/;
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Nothing is built while the service runs: what is in the folder now is served until it stops. */
export function openWebConsole(folder = CONSOLE_FOLDER): WebConsole {
  const built = readBuiltConsole(folder);
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const [path = '/'] = (request.url ?? '/').split('?');
    const file = built?.files.get(path);
    if (file) return sendFile(request, response, file);
    if (NO_PAGE.test(path) || !isPageWanted(request, path)) return false;
    return sendPage(request, response, built);
  };
}

function isPageWanted({ headers }: IncomingMessage, path: string): boolean {
  return path === '/' || (headers.accept ?? '').includes('text/html');
}

/** The name of a file changes with its content, so a browser never asks for one twice. */
function sendFile(request: IncomingMessage, response: ServerResponse, file: BuiltFile): true {
  const headers = {
    ...HEADERS,
    'content-type': file.contentType,
    'cache-control': 'public, max-age=31536000, immutable',
    etag: file.etag,
    vary: 'accept-encoding',
  };
  if (request.headers['if-none-match'] === file.etag) {
    response.writeHead(304, headers).end();
    return true;
  }
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = (['br', 'gzip'] as const).find((name) => new RegExp(`\\b${name}\\b(?!;q=0)`).test(accepted) && file[name]);
  const body = (encoding && file[encoding]) ?? file.body;
  response.writeHead(200, { ...headers, ...(encoding && { 'content-encoding': encoding }), 'content-length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
  return true;
}

function sendPage(request: IncomingMessage, response: ServerResponse, built: BuiltConsole | undefined): true {
  const nonce = randomBytes(18).toString('base64');
  const body = Buffer.from(built ? built.page.replaceAll('CSP_NONCE', nonce) : NOT_BUILT);
  response.writeHead(built ? 200 : 503, {
    ...HEADERS,
    'content-type': built ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'content-security-policy': policy(nonce),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  return true;
}

/** Styles that the console writes while it runs, such as the columns of a grid, carry the nonce of its page. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
