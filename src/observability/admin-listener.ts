import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import { sharedWithPauses } from './shared-answer.ts';

/** Loaded as by a program in CommonJS: an `import` makes Node load its client for WebSockets as well. */
const { createServer } = createRequire(import.meta.url)('node:http') as typeof import('node:http');

export interface AdminListenerOptions extends AdminAnswers {
  readonly host: string;
  readonly port: number;
  /** The host names for requests of `/metrics`, besides addresses and `localhost`. */
  readonly names: readonly string[];
}

/** What the listener asks for its answers. It reads `further` for each request. */
export interface AdminAnswers {
  /** In the text form of Prometheus. */
  metrics(): Promise<string>;
  /** Resolves when the service takes requests, with a sentence about what it cannot do now; rejects with the reason when it takes none. */
  checkReadiness(): Promise<string | undefined>;
  /** Takes every other path, from whoever names the service by a name of its own. */
  readonly further?: RequestListener | undefined;
}

export interface AdminListener {
  readonly port: number;
  close(): Promise<void>;
}

/** The connections that monitoring keeps. One more ends the oldest idle one. */
const CONNECTIONS_MAX = 64;
/** The longest time without a byte sent or received: longer than an answer takes, and short enough for answers that nobody reads. */
const STALLED_MS = 10_000;
/**
 * The longest time without a byte for an operator's request, which may wait for the server of a partner. After 60 s the longest ends, with
 * an answer that its outcome is unknown; its sign-in was judged before.
 */
const FURTHER_STALLED_MS = 65_000;

/** The longest that a request takes to arrive is that of a partner's list, which an operator uploads. */
const SERVER: ServerOptions = { headersTimeout: 5_000, requestTimeout: 900_000, connectionsCheckingInterval: 1_000 };

/** `/livez`, `/readyz` and `/metrics`, on a listener that partners do not reach; the interface of operators beside them. */
export async function openAdminListener(options: AdminListenerOptions): Promise<AdminListener> {
  const server = createServer(SERVER, answer(options)).setTimeout(STALLED_MS);
  boundConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, host: options.host, exclusive: true }, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Node stores the answer under way on the socket itself. */
type HttpSocket = Socket & { readonly _httpMessage?: object | null };

function boundConnections(server: Server): void {
  const sockets = new Set<HttpSocket>();
  server.on('connection', (socket: HttpSocket) => {
    if (sockets.size >= CONNECTIONS_MAX)
      (sockets.values().find(({ _httpMessage }) => !_httpMessage) ?? [...sockets][0])?.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
}

function answer(options: AdminListenerOptions): RequestListener {
  const scrape = sharedWithPauses(() => options.metrics());
  const ask = sharedWithPauses(() => options.checkReadiness());
  const own = new Set(['localhost', ...options.names.map((name) => name.toLowerCase())]);
  return async (request, response) => {
    const { further } = options;
    // The host of an absolute target counts in place of the header: RFC 9112, section 3.2.2.
    const [, authority] = ABSOLUTE_TARGET.exec(request.url ?? '') ?? [];
    if (authority !== undefined) request.headers.host = authority;
    const isOurs = () => isOwnHost(request.headers.host, own);
    const send = (status: number, body: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    switch (request.url) {
      case '/livez':
        return send(200, 'alive\n');
      case '/readyz':
        return ask().then(
          (restriction) => send(200, restriction === undefined ? 'ready\n' : `ready, but ${restriction}\n`),
          (reason: unknown) => send(503, `not ready: ${(reason as Error).message}\n`),
        );
      case '/metrics':
        if (!isOurs()) return send(421, NOT_OURS);
        return scrape().then(
          (text) => send(200, text, 'text/plain; version=0.0.4; charset=utf-8'),
          (reason: unknown) => send(503, `no metrics: ${(reason as Error).message}\n`),
        );
      default:
        if (!further) return send(404, 'The paths are /livez, /readyz and /metrics.\n');
        if (!isOurs()) return send(421, NOT_OURS);
        request.socket.setTimeout(FURTHER_STALLED_MS);
        response.once('close', () => request.socket.setTimeout(STALLED_MS));
        return further(request, response);
    }
  };
}

const ABSOLUTE_TARGET = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

const NOT_OURS = 'The Host of the request is not a name of this service. Use its address, or add the name to OPERATIONS_NAMES.\n';

/** A web page that reaches the service under its own host name must not read it. A client without the header is no browser. */
function isOwnHost(host: string | undefined, own: ReadonlySet<string>): boolean {
  const [, inBrackets, name = ''] = /^(?:\[(.*)\]|([^:]*))(?::\d*)?$/.exec(host?.toLowerCase() ?? 'localhost') ?? [];
  return inBrackets === undefined ? isIP(name) === 4 || own.has(name.replace(/\.$/, '')) : isIP(inBrackets) === 6;
}
