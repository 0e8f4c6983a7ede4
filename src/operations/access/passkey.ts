import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
import { isOurId } from '../../domain/identifiers.ts';

/** The page that asks for a passkey. A passkey belongs to a host name, and answers no other. */
export interface PageAddress {
  /** The host name, such as `console.example.org` or `localhost`. */
  readonly rpId: string;
  /** Such as `https://console.example.org:8081`. */
  readonly origin: string;
}

/** What the database keeps of a passkey, as JSON: nobody signs in with it alone. */
export interface KeptPasskey {
  /** The id that the authenticator gave it, in base 64 for addresses. */
  readonly id: string;
  /** In the form of COSE, in base 64 for addresses. */
  readonly public_key: string;
  readonly rp_id: string;
  readonly name: string;
  readonly transports: readonly Transport[];
}

/** The ways to an authenticator that the library knows. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

type Transport = (typeof TRANSPORTS)[number];

const NAME = 'Partner Impact';
const SCREEN_MS = 120_000;

export interface PasskeyOptions {
  readonly challenge: string;
  /** For the browser, as JSON. */
  readonly optionsJson: string;
}

export interface PasskeyOwner {
  readonly operatorId: string;
  readonly name: string;
  readonly email: string | null;
}

/** The authenticator checks who holds it (a PIN, a finger, a face), and finds the passkey without a name. */
const VERIFIED = { residentKey: 'required', userVerification: 'required' } as const;

export async function optionsToAdd(
  { operatorId, name, email }: PasskeyOwner,
  { rpId }: PageAddress,
  known: readonly KeptPasskey[],
): Promise<PasskeyOptions> {
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: rpId,
    timeout: SCREEN_MS,
    attestationType: 'none',
    authenticatorSelection: VERIFIED,
    userName: email ?? operatorId,
    userDisplayName: name,
    userID: new TextEncoder().encode(operatorId),
    excludeCredentials: known.filter((each) => each.rp_id === rpId).map(({ id }) => ({ id })),
  });
  return { challenge: options.challenge, optionsJson: JSON.stringify(options) };
}

/** @param known The passkeys of the person who is signed in; none before a sign-in, where the authenticator offers those it has. */
export async function optionsToUse({ rpId }: PageAddress, known: readonly KeptPasskey[] = []): Promise<PasskeyOptions> {
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    timeout: SCREEN_MS,
    userVerification: 'required',
    allowCredentials: known.filter((each) => each.rp_id === rpId).map(({ id }) => ({ id })),
  });
  return { challenge: options.challenge, optionsJson: JSON.stringify(options) };
}

export interface Given extends PageAddress {
  /** What the browser answered, as JSON. */
  readonly responseJson: string;
  readonly challenge: string;
}

/**
 * @returns What is kept of a new passkey, and its counter.
 * @throws Error For an answer to another challenge, of another page, without a check of who holds the device, or with certificates.
 */
export async function readNewPasskey(
  { responseJson, challenge, rpId, origin }: Given,
  name: string,
): Promise<{ readonly passkey: KeptPasskey; readonly counter: number }> {
  const response = JSON.parse(responseJson) as RegistrationResponseJSON;
  requireNoCertificates(response);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
  });
  if (!verified) throw new Error('The answer of the authenticator is not signed by the new passkey.');
  const { id, publicKey, counter, transports } = registrationInfo.credential;
  const public_key = Buffer.from(publicKey).toString('base64url');
  return { passkey: { id, public_key, rp_id: rpId, name, transports: readTransports(transports) }, counter };
}

/** Nobody has signed this part of an answer, and the library takes it as it is. */
function readTransports(sent: unknown): readonly Transport[] {
  return Array.isArray(sent) ? TRANSPORTS.filter((each) => sent.includes(each)) : [];
}

/**
 * A browser that is asked for no attestation answers with none, or with one that the new passkey itself has signed. The verification of
 * any other attestation reads certificates that the sender chose, and sends requests to the addresses in them.
 *
 * @throws Error For any other attestation.
 */
function requireNoCertificates({ response: { attestationObject } }: RegistrationResponseJSON): void {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = attestation.get('fmt');
  if (format === 'none') return;
  if (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined)
    throw new Error('The answer of the authenticator has an attestation with certificates, or of an unknown format.');
}

/**
 * Whose passkey answers, and which, before anything is checked.
 *
 * @throws Error For a text that is no answer, and for a name that is no id of an operator.
 */
export function nameOfAnswer(responseJson: string): { readonly operatorId: string; readonly id: string } {
  const { id, response } = JSON.parse(responseJson) as AuthenticationResponseJSON;
  const operatorId = Buffer.from(response.userHandle ?? '', 'base64url').toString();
  if (!isOurId('opr', operatorId)) throw new Error('The answer of the authenticator names no operator.');
  return { id, operatorId };
}

/**
 * @returns The new counter of the passkey.
 * @throws Error For an answer to another challenge, of another page or another passkey, and for a counter that went back.
 */
export async function checkPasskey(
  { responseJson, challenge, rpId, origin }: Given,
  { id, public_key, transports }: KeptPasskey,
  counter: number,
): Promise<number> {
  const credential = { id, counter, transports, publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')) };
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: JSON.parse(responseJson) as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: credential as WebAuthnCredential,
  });
  if (!verified) throw new Error('The answer of the authenticator is not signed by this passkey.');
  return authenticationInfo.newCounter;
}
