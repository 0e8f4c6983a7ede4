import { ServiceError } from '../../domain/service-error.ts';
import { authenticateOperator } from '../../operations/access/sign-in.ts';
import type { Database } from '../../store/database.ts';
import { openTokenFile, type TokenFile } from './token-file.ts';

type SignedIn = Awaited<ReturnType<typeof authenticateOperator>>;

/**
 * The operator who is signed in on this machine, with the current role; `undefined` where nobody is. A sign-in whose COMMIT had no answer
 * counts once it is valid.
 *
 * @throws ServiceError As {@link authenticateOperator}.
 */
export async function findSignedIn(database: Database, file?: TokenFile): Promise<(SignedIn & { token: string }) | undefined> {
  const tokens = file ?? (await openTokenFile(database));
  const pending = tokens.readPending();
  const found = pending === undefined ? undefined : await findIfValid(database, pending);
  if (pending !== undefined && found) {
    tokens.keep(pending);
    return { ...found, token: pending };
  }
  const token = tokens.read();
  return token === undefined ? undefined : { ...(await authenticateOperator(database, token)), token };
}

async function findIfValid(database: Database, token: string): Promise<SignedIn | undefined> {
  try {
    return await authenticateOperator(database, token);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthorized') return undefined;
    throw error;
  }
}
