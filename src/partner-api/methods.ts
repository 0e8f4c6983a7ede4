import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/service-error.ts';

/**
 * Learns every route that is registered from now on.
 *
 * @returns A check for requests that no route takes: 405 with `Allow` where the path exists under another method, else 404.
 */
export function wrongMethodCheck(app: FastifyInstance): (request: FastifyRequest) => void {
  const routes: { path: RegExp; method: string }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    // `:name` stands for one segment of a path, `*` for all the rest.
    const pattern = url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace(/\*/g, '.*');
    for (const each of [method].flat()) routes.push({ path: new RegExp(`^${pattern}$`), method: each });
  });
  return (request) => {
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0] as string;
    const allowed = new Set(routes.filter((route) => route.path.test(path)).map(({ method }) => method));
    if (allowed.size === 0) throw noSuchPath();
    const allow = [...allowed].sort().join(', ');
    throw new ServiceError('invalid_request', `This path takes ${allow}.`, { status: 405, headers: { allow } });
  };
}

export function noSuchPath(): ServiceError {
  const message = 'There is no such path. The reference at /docs lists all of them.';
  return new ServiceError('invalid_request', message, { status: 404 });
}
