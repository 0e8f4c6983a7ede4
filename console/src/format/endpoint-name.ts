/** An endpoint in a message: `127.0.0.1:9000/orders`. Several of one server differ by their paths. */
export function endpointName(url: string): string {
  const { host, pathname } = new URL(url);
  return pathname === '/' ? host : `${host}${pathname}`;
}
