import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** All addresses of a name. */
export type ResolveName = (hostname: string) => Promise<readonly LookupAddress[]>;

const TIMEOUT_MS = 1_500;
const TRIES = 2;
/**
 * How long one kind of addresses waits for the other. Some name servers never answer about a kind that the name does not have, and each
 * name server of this machine is asked twice about it: that takes longer than the time for a connection.
 */
const OTHER_KIND_WITHIN_MS = 500;

/**
 * Asks the name servers of this machine for both kinds of addresses. Unlike the system's own look-up it uses none of the few threads that
 * the whole process shares, so that a name server that does not answer delays nobody else; nor does it read `/etc/hosts`, none of whose
 * names is public. Fails with the code `ENOTFOUND` when the name has no address, with `EMFILE` or `ENFILE` when this process can open no
 * file to ask, and with `EAI_AGAIN` when no name server could say so; the next look-up then asks the name servers that this machine has by
 * then.
 *
 * @param servers Addresses of other name servers, with their ports.
 */
export function publicNames(servers?: readonly string[]): ResolveName {
  let resolver = openResolver(servers);
  return async (hostname) => {
    const asked = resolver;
    const kinds = [withFamily(asked.resolve4(hostname), 4), withFamily(asked.resolve6(hostname), 6)];
    const ends = Promise.allSettled(kinds);
    const first = await Promise.any(kinds).catch(() => undefined);
    if (first) {
      const all = ends.then((found) => found.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])));
      return Promise.race([all, sleep(OTHER_KIND_WITHIN_MS, first, { ref: false })]);
    }
    const error = noAddress(hostname, await ends);
    if (error.code === NO_SERVER) requireFreeFile();
    if (error.code === NO_SERVER && resolver === asked) resolver = openResolver(servers);
    throw error;
  };
}

/** It knows the name servers of this machine as they are now. */
function openResolver(servers: readonly string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  return resolver;
}

async function withFamily(answer: Promise<readonly string[]>, family: 4 | 6): Promise<LookupAddress[]> {
  return (await answer).map((address) => ({ address, family }));
}

const NO_SERVER = 'EAI_AGAIN';
/** No name server has it, or it is no name that one could have. */
const NO_SUCH_NAME: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'EBADNAME']);

/** A name that one of the answers says is not there has no address of either kind. */
function noAddress(hostname: string, ends: readonly PromiseSettledResult<unknown>[]): NodeJS.ErrnoException {
  const reasons: NodeJS.ErrnoException[] = ends.flatMap((end) => (end.status === 'rejected' ? end.reason : []));
  const failure = reasons.find(({ code }) => code !== 'ENODATA');
  if (failure === undefined || reasons.some(({ code }) => NO_SUCH_NAME.has(code)))
    return Object.assign(new Error(`${hostname} has no address.`, { cause: reasons[0] }), { code: 'ENOTFOUND' });
  const message = `No name server could resolve ${hostname}: ${failure.code}.`;
  return Object.assign(new Error(message, { cause: failure }), { code: NO_SERVER });
}

/** This process has as many files open as it may, or the whole machine has. */
const FILES_USED_UP: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/**
 * The resolver says `ECONNREFUSED` of a name server that it could open no socket for, as of one that refused.
 *
 * @throws The error of the system when this process can open no further file: perhaps no name server was asked. That it may not open this one
 * says nothing about sockets.
 */
function requireFreeFile(): void {
  try {
    closeSync(openSync(devNull, 'r'));
  } catch (error) {
    if (FILES_USED_UP.has((error as NodeJS.ErrnoException).code)) throw error;
  }
}

/** Resolves like other programs of this machine: for development, where receivers have names such as `localhost`. */
export const namesOfThisMachine: ResolveName = (hostname) => lookup(hostname, { all: true });
