import { ServiceError } from '../../domain/service-error.ts';
import type { Queryable } from '../../store/database.ts';
import { findInstallation } from '../../store/installation.ts';

/**
 * In a sandbox the owner of the machine acts without a sign-in. In production until there is an admin: whoever acts from then on is known
 * by name, so that an operator who takes the own sign-in off the machine becomes nobody who may do more.
 *
 * @throws ServiceError `forbidden`, with how to go on.
 * @see docs/spec/settlements.md#5-operators.
 */
export async function requireOwnerMayAct(db: Queryable): Promise<void> {
  const installation = await findInstallation(db);
  if (installation?.environment !== 'production' || installation.firstAdminAt === null) return;
  throw new ServiceError(
    'forbidden',
    'No operator is signed in, and in production the owner account may only create the first admin. Sign in: npx partner-impact login. If no admin can act: --break-glass REASON, which the audit records and doctor shows.',
  );
}
