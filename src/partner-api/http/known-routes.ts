import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RecoverableOperation } from '../../domain/recovery-verdict.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { routePattern } from './route-pattern.ts';

/** What is known of a request before it has a route, and of one without a route. */
export interface AskedRoute {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

export interface KnownRoutes {
  /**
   * Throws 405 with `Allow` when the path exists under another method, else 404, for a request without a route. A slash at the end makes
   * another path: the router would take what follows it for an empty id.
   */
  refuseUnknown(request: FastifyRequest): void;
  /** The operation that the sender may have meant, which decides the verdict of the error. */
  recoverableOf(asked: AskedRoute): RecoverableOperation | undefined;
}

interface KnownRoute {
  readonly path: RegExp;
  readonly method: string;
  readonly recoverable: RecoverableOperation | undefined;
}

/** Learns every route that is registered from now on. @param nextStepOf What the refusal of an unknown address names. */
export function learnRoutes(app: FastifyInstance, nextStepOf: (url: string) => string): KnownRoutes {
  const routes: KnownRoute[] = [];
  app.addHook('onRoute', ({ url, method, config }) => {
    const path = routePattern(url);
    for (const each of [method].flat()) routes.push({ path, method: each, recoverable: config?.policy?.recoverable });
  });
  const findOnPath = (url: string): KnownRoute[] => {
    const [path] = url.split('?', 1) as [string];
    return routes.filter((route) => route.path.test(path));
  };
  return {
    refuseUnknown(request) {
      if (endsWithSlash(request.url))
        throw noSuchPath('No path of the interface ends with a slash: send the request without it.');
      if (!request.is404) return;
      const onPath = findMisplaced(request.url) === undefined ? findOnPath(request.url) : [];
      if (onPath.length === 0) throw noSuchPath(findMisplaced(request.url)?.nextStep ?? nextStepOf(request.url));
      const allowed = new Set(onPath.map(({ method }) => method));
      const allow = [...allowed].sort().join(', ');
      throw new ServiceError('invalid_request', `This path allows ${allow}.`, { status: 405, headers: { allow } });
    },
    recoverableOf: (asked) => recoverableOf(asked, findOnPath(asked.url ?? '')),
  };
}

/**
 * The policy of the route, or of another method of its path. Without a route the request may be a confirmation with a mistyped path, or a
 * look-up; its refusal must not read as a verdict on a contribution. Estimates have no verdict: no points are at stake.
 */
function recoverableOf({ method, url }: AskedRoute, onPath: readonly KnownRoute[]): RecoverableOperation | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const misplaced = findMisplaced(url ?? '');
  const known = misplaced ? [] : onPath;
  const exact = known.find((route) => route.method === method);
  if (exact) return exact.recoverable;
  if (known.length > 0) return known.some(({ recoverable }) => recoverable) ? (isRead ? 'lookup' : 'confirm') : undefined;
  const meant = misplaced?.path ?? url ?? '';
  if (meant.startsWith('/v1/emissions')) return undefined;
  if (!isRead) return 'confirm';
  return LOOKS_UP.test(meant) ? 'lookup' : undefined;
}

/** A look-up may have a mistyped path; it names the event nevertheless. */
const LOOKS_UP = /^\/v1\/|[?&]partner_event_id=/;

export const REFERENCE_HERE =
  'The reference of the interface, /docs/reference, lists all paths; for programs, /docs/openapi.json.';
export const REFERENCE_OF_SANDBOX = 'The reference of the interface lists all paths; every sandbox serves it at /docs/reference.';

/** @param nextStep What to send instead, or where all paths are listed. */
export function noSuchPath(nextStep: string): ServiceError {
  return new ServiceError('invalid_request', `There is no such path. ${nextStep}`, { status: 404 });
}

/** Something before `/v1/`, which may be another `/v1`, and the path from there on. */
const MISPLACED = /^(?!\/v1\/(?!v1\/))[^?]+?(\/v1\/[^?]*)/;

/** A path of contributions or estimates that begins with something else than `/v1/`, or with nothing. */
const WITHOUT_VERSION = /^\/(?!v1\/)(?:[^?]+\/)?((?:impact-transactions|emissions)(?:\/[^?]*)?)(?:\?|$)/;

/**
 * The path of the interface that stands behind something else, as after a base address `https://…/`, `https://…/docs` or `https://…/v1`,
 * or that lacks its `/v1`.
 */
export function findMisplaced(url: string): { readonly path: string; readonly nextStep: string } | undefined {
  const [, behind] = MISPLACED.exec(url) ?? [];
  const [, unversioned] = WITHOUT_VERSION.exec(url) ?? [];
  const path = behind ?? (unversioned && `/v1/${unversioned}`);
  const nextStep = 'Every path of the interface begins with /v1: the base address has no slash, /v1 or /docs at its end.';
  return path === undefined ? undefined : { path, nextStep };
}

function endsWithSlash(url: string): boolean {
  const query = url.indexOf('?');
  return url.startsWith('/v1/') && url.endsWith('/', query === -1 ? url.length : query);
}
