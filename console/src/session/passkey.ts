/** Passkeys in the browser. A browser has them at a host name, and not at an address of digits. */
import { answerOf, client } from '../api/client.ts';
import type { components, operations } from '../api/operator-types.ts';
import type { SessionAnswer } from './session-answer.ts';

type Begun = components['schemas']['BegunPasskey'];
export type Passkey = components['schemas']['Passkey'];

export function hasPasskeys(): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
  return typeof PublicKeyCredential === 'function' && !isAddress;
}

/** The person turned away, or the device has none for this host. */
export class NoPasskeyGiven extends Error {
  override readonly name = 'NoPasskeyGiven';
}

const library = () => import('@simplewebauthn/browser');

/** Asks the device for a new passkey; the answer is as the service takes it. */
async function askForNew(begun: Begun): Promise<{ challenge: string; response_json: string }> {
  const { startRegistration } = await library();
  const response = await given(startRegistration({ optionsJSON: JSON.parse(begun.options_json) }));
  return { challenge: begun.challenge, response_json: JSON.stringify(response) };
}

/** Asks the device; the answer is as the service takes it. */
async function ask(begun: Begun): Promise<{ challenge: string; response_json: string }> {
  const { startAuthentication } = await library();
  const response = await given(startAuthentication({ optionsJSON: JSON.parse(begun.options_json) }));
  return { challenge: begun.challenge, response_json: JSON.stringify(response) };
}

export async function signInByPasskey(): Promise<SessionAnswer> {
  const body = await ask(await answerOf(client.POST('/operator/v1/session/passkey/begin')));
  return answerOf(client.POST('/operator/v1/session/passkey', { body }));
}

export async function givePasskeyAgain(): Promise<SessionAnswer> {
  const body = await ask(await answerOf(client.POST('/operator/v1/session/again/passkey/begin')));
  return answerOf(client.POST('/operator/v1/session/again/passkey', { body }));
}

type PasskeyOfLink = operations['signInWithLinkAndPasskey']['requestBody']['content']['application/json'];

/** Asks the device for the passkey for which the one-time link is to be traded. Nothing is changed yet. */
export async function askByLink(name: string, link: { code: string; totp?: string }): Promise<PasskeyOfLink> {
  const begun = await answerOf(client.POST('/operator/v1/session/link/passkey/begin', { body: link }));
  return { name, code: link.code, ...(await askForNew(begun)) };
}

/** Trades the one-time link for a passkey. */
export function addPasskeyByLink(body: PasskeyOfLink): Promise<SessionAnswer> {
  return answerOf(client.POST('/operator/v1/session/link/passkey', { body }));
}

export async function addPasskey(name: string): Promise<Passkey> {
  const answer = await askForNew(await answerOf(client.POST('/operator/v1/session/passkeys/begin')));
  return answerOf(client.POST('/operator/v1/session/passkeys', { body: { name, ...answer } }));
}

async function given<Response>(asked: Promise<Response>): Promise<Response> {
  try {
    return await asked;
  } catch (cause) {
    // Whatever the reason, a browser tells a page no more than that there is none.
    throw new NoPasskeyGiven(String(cause), { cause });
  }
}
