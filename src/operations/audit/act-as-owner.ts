import { ServiceError } from '../../domain/service-error.ts';
import type { Queryable } from '../../store/database.ts';
import { findInstallation } from '../../store/installation.ts';

/**
 * In a sandbox the owner account acts without a sign-in. In production only until there is an admin: from then on every actor is a
 * signed-in operator, so that an operator who signs out gains no rights.
 *
 * @throws ServiceError `forbidden`, with what to do.
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
