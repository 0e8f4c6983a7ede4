import { isIPv4, isIPv6 } from 'node:net';
import type { Config } from '../../config.ts';

type Listener = Pick<Config, 'operationsHost' | 'operationsNames'>;

/** With these in `OPERATIONS_HOST` the listener answers at `localhost`. */
const AT_LOCALHOST = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '::'];

/**
 * Where a person opens the console with a one-time code. What follows `#` is sent to no server: it is in no log.
 *
 * The first of `OPERATIONS_NAMES` is that of a proxy, which speaks https; without one the person is on this machine, or has the port
 * forwarded ({@link forwardingHint}).
 */
export function consoleLink(config: Listener, { port, code }: { readonly port: number; readonly code: string }): string {
  const [name] = config.operationsNames;
  return `${name === undefined ? `http://${nameHere(config)}:${port}` : `https://${name}`}/sign-in#${code}`;
}

/**
 * How the link of {@link consoleLink} leads to a listener that has another address of the machine alone; `undefined` where it does so anyway.
 * Over plain http a browser signs in on its own machine only, so that address in the link would be of no use.
 */
export function forwardingHint(config: Listener, port: number): string | undefined {
  const { operationsHost: host, operationsNames } = config;
  if (operationsNames.length > 0 || AT_LOCALHOST.includes(host) || isOfThisMachine(host)) return undefined;
  const target = isIPv6(host) ? `[${host}]` : host;
  return `(nothing listens at localhost with OPERATIONS_HOST=${host}: forward the port first, ssh -L ${port}:${target}:${port} HOST)`;
}

function nameHere({ operationsHost }: Listener): string {
  return isOfThisMachine(operationsHost) && !AT_LOCALHOST.includes(operationsHost) ? operationsHost : 'localhost';
}

/** Whether no other machine reaches the address. */
function isOfThisMachine(host: string): boolean {
  return isIPv4(host) && host.startsWith('127.');
}
