import { LASTING_CREDENTIAL_SECONDS, newCredential, type VerifierKind } from '../../domain/access/operator-credential.ts';
import { insertOperatorCredential } from '../../store/access/operator-credential.ts';
import type { Queryable } from '../../store/database.ts';
import { hashOfVerifier } from './second-factor.ts';

interface NewVerifier {
  readonly operatorId: string;
  readonly kind: VerifierKind;
  /** What the password, the second factor or the passkey is checked with. */
  readonly verifier: string;
}

/** @returns The id of the credential, which lasts until it is removed or replaced. */
export async function insertVerifier(db: Queryable, { operatorId, kind, verifier }: NewVerifier): Promise<string> {
  const { id: credentialId } = newCredential('session');
  const secretSha256 = hashOfVerifier(verifier);
  const seconds = LASTING_CREDENTIAL_SECONDS;
  await insertOperatorCredential(db, { credentialId, operatorId, kind, secretSha256, seconds, verifier });
  return credentialId;
}
