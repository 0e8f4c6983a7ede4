import type { Actor } from '../../domain/access/role.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { findOperator } from '../../store/access/operator.ts';
import { updateCredentialsOfKindsEnded, useSecondFactorStep } from '../../store/access/operator-password.ts';
import { readClock } from '../../store/clock.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { auditOperator, lockAuditedOperator } from './audited-operator.ts';
import { insertVerifier } from './insert-verifier.ts';
import type { SessionTools } from './operator-session.ts';
import { findStep, type NewSecondFactor, newSecondFactor } from './second-factor.ts';

export interface BegunSecondFactor extends NewSecondFactor {
  /** The secret, sealed for this operator: it comes back with the first code, and nothing is kept until then. */
  readonly enrolment: string;
}

/** A new secret for the authenticator app of a person. */
export async function beginSecondFactor({ database, sealing }: SessionTools, { operatorId }: Actor): Promise<BegunSecondFactor> {
  const operator = await findOperator(database.pool, operatorId);
  const factor = newSecondFactor(operator?.email ?? operatorId);
  return { ...factor, enrolment: sealing(operatorId).seal(factor.secret) };
}

/**
 * From now on every sign-in asks for a code of the app. It takes the place of another second factor.
 *
 * @throws ServiceError `invalid_request` for a code that is not of now, or an enrolment that is not this operator's.
 */
export async function addSecondFactor(
  { database, sealing }: SessionTools,
  own: Actor,
  { enrolment, totp }: { readonly enrolment: string; readonly totp: string },
): Promise<void> {
  const { operatorId } = own;
  const secret = openEnrolment(sealing(operatorId).open, enrolment);
  await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    await lockAuditedOperator(db, operatorId);
    const step = findStep(secret, totp, (await readClock(db)).getTime());
    if (step === undefined)
      throw refusal('totp', 'The code is not valid now. Check the clock of the phone, and send the next code.');
    await updateCredentialsOfKindsEnded(db, operatorId, ['totp']);
    const credentialId = await insertVerifier(db, { operatorId, kind: 'totp', verifier: enrolment });
    await useSecondFactorStep(db, credentialId, step);
    await auditOperator(db, own, { operatorId, action: 'operator.add-second-factor' });
  });
}

/** From now on the password is enough. */
export async function removeSecondFactor({ database }: SessionTools, own: Actor): Promise<void> {
  await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    await lockAuditedOperator(db, own.operatorId);
    await updateCredentialsOfKindsEnded(db, own.operatorId, ['totp']);
    await auditOperator(db, own, { operatorId: own.operatorId, action: 'operator.remove-second-factor' });
  });
}

function openEnrolment(open: (sealed: string) => string, enrolment: string): string {
  try {
    return open(enrolment);
  } catch (cause) {
    throw refusal('enrolment', 'This enrolment was not begun by this operator. Begin again.', cause);
  }
}

function refusal(field: string, message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_request', message, { details: [{ field, code: 'wrong_form', message }], cause });
}
