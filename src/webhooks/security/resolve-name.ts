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
 * names is public. Fails with the code `ENOTFOUND` whenever there is no address.
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
    const cause = v4.status === 'rejected' ? v4.reason : undefined;
    throw Object.assign(new Error(`${hostname} has no address.`, { cause }), { code: 'ENOTFOUND' });
  };
}

function listOf(found: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : [];
}

/** Resolves like other programs of this machine: for development, where receivers have names such as `localhost`. */
export const namesOfThisMachine: ResolveName = (hostname) => lookup(hostname, { all: true });
