import type { RequestListener } from 'node:http';

/** A path as routes are written, and the rest. */
const PLAIN_TARGET = /^\/[^%#?]*(?:\?|$)/;

/** The characters of a route's own text, besides `/`. */
const UNRESERVED = /^[A-Za-z0-9._~-]$/;

/**
 * The target of a request in the form of the routes: without scheme and authority, without a fragment, and without unnecessary escapes in
 * its path. So every reader sees the same route, before the router and in it. In a path with an escape that is none, or that is no UTF-8,
 * each percent sign stands for itself: an id with it is ill-formed, and found nowhere.
 *
 * @see RFC 9112, section 3.2.2, and RFC 3986, section 6.2.2.2.
 */
export function plainTarget(target: string): string {
  if (PLAIN_TARGET.test(target)) return target;
  const [, path = '', query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(target.replace(/^https?:\/\/[^/?#]*/i, '')) ?? [];
  const unescaped = path.replace(/%[0-9A-Fa-f]{2}/g, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return UNRESERVED.test(character) ? character : escaped;
  });
  return `${decodable(unescaped) || '/'}${query}`;
}

/** Gives a listener the target of each request in the form of {@link plainTarget}. */
export function withPlainTarget(handle: RequestListener): RequestListener {
  return (request, response) => {
    request.url = plainTarget(request.url ?? '/');
    handle(request, response);
  };
}

function decodable(path: string): string {
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll('%', '%25');
  }
}
