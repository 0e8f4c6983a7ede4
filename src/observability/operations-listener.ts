import { createServer, type RequestListener } from 'node:http';

export interface OperationsListenerOptions {
  readonly host: string;
  readonly port: number;
  /** In the text form of Prometheus. */
  metrics(): Promise<string>;
  /** Resolves when the service can do its work; rejects with the reason when it cannot. */
  checkReadiness(): Promise<void>;
}

export interface OperationsListener {
  close(): Promise<void>;
}

/** `/livez`, `/readyz` and `/metrics`, on a listener that partners do not reach. */
export async function openOperationsListener(options: OperationsListenerOptions): Promise<OperationsListener> {
  const server = createServer(answer(options));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, host: options.host, exclusive: true }, () => resolve());
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer({ metrics, checkReadiness }: OperationsListenerOptions): RequestListener {
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
        return metrics().then(
          (text) => send(200, text, 'text/plain; version=0.0.4; charset=utf-8'),
          (reason: unknown) => send(503, `no metrics: ${(reason as Error).message}\n`),
        );
      default:
        return send(404, 'There is /livez, /readyz and /metrics.\n');
    }
  };
}
