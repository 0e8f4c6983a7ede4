import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a name. */
export type ResolveName = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Both together take less than the time for a connection. */
const TIMEOUT_MS = 1_500;
const TRIES = 2;

/**
 * Asks the name servers of this machine for both kinds of addresses. Unlike the system's own look-up it uses none of the few threads that
 * the whole process shares, so that a name server that does not answer delays nobody else; nor does it read `/etc/hosts`, none of whose
 * names is public. Fails with the code `ENOTFOUND` when the name has no address, and with `EAI_AGAIN` when no name server could say so.
 *
 * @param servers Addresses of other name servers, with their ports.
 */
export function publicNames(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [...listOf(v4, 4), ...listOf(v6, 6)];
    if (addresses.length > 0) return addresses;
    throw noAddress(
      hostname,
      [v4, v6].map((found) => (found.status === 'rejected' ? found.reason : undefined)),
    );
  };
}

/** No name server has it, or it is no name that one could have. */
const NO_SUCH_NAME: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'EBADNAME']);

/** A name that one of the answers says is not there has no address of either kind. */
function noAddress(hostname: string, reasons: readonly (NodeJS.ErrnoException | undefined)[]): Error {
  const failure = reasons.find((reason) => reason !== undefined && reason.code !== 'ENODATA');
  if (failure === undefined || reasons.some((reason) => NO_SUCH_NAME.has(reason?.code)))
    return Object.assign(new Error(`${hostname} has no address.`, { cause: reasons[0] }), { code: 'ENOTFOUND' });
  const message = `No name server could resolve ${hostname}: ${failure.code}.`;
  return Object.assign(new Error(message, { cause: failure }), { code: 'EAI_AGAIN' });
}

function listOf(found: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : [];
}

/** Resolves like other programs of this machine: for development, where receivers have names such as `localhost`. */
export const namesOfThisMachine: ResolveName = (hostname) => lookup(hostname, { all: true });
