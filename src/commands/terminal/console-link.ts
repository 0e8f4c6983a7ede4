import type { Config } from '../../config.ts';

/**
 * Where a person opens the console with a one-time code. What follows `#` is sent to no server: it is in no log.
 *
 * The first of `OPERATIONS_NAMES` is that of a proxy, which speaks https; without one the person is on this machine.
 */
export function consoleLink(
  config: Pick<Config, 'operationsNames'>,
  { port, code }: { readonly port: number; readonly code: string },
): string {
  const [name] = config.operationsNames;
  return `${name === undefined ? `http://localhost:${port}` : `https://${name}`}/sign-in#${code}`;
}
