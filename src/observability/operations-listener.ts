import { createServer, type RequestListener, type Server } from 'node:http';
import type { Registry } from 'prom-client';

export interface OperationsListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  /** Resolves when the service can do its work; rejects with the reason when it cannot. */
  checkReadiness(): Promise<void>;
}

/** `/livez`, `/readyz` and `/metrics`, on a listener that partners do not reach. */
export async function openOperationsListener(options: OperationsListenerOptions): Promise<Server> {
  const server = createServer(answer(options));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => resolve());
  });
  return server;
}

function answer({ registry, checkReadiness }: OperationsListenerOptions): RequestListener {
  return async (request, response) => {
    const send = (status: number, body: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    switch (request.url) {
      case '/livez':
        return send(200, 'alive\n');
      case '/readyz':
        return checkReadiness().then(
          () => send(200, 'ready\n'),
          (reason: unknown) => send(503, `not ready: ${(reason as Error).message}\n`),
        );
      case '/metrics':
        return send(200, await registry.metrics(), registry.contentType);
      default:
        return send(404, 'There is /livez, /readyz and /metrics.\n');
    }
  };
}
