import * as passkeys from '../../operations/access/manage-passkey.ts';
import { addPasskeyByCode, beginPasskeyByCode } from '../../operations/access/sign-in-by-link.ts';
import * as signIns from '../../operations/access/sign-in-by-passkey.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { listPasskeys, type StoredPasskey } from '../../store/access/operator-passkey.ts';
import { pageAddressOf } from '../http/page-address.ts';
import { openRoute, operatorRoute } from '../route.ts';
import { closed, flag, idParams, line, listOf, nullableTime, shape, text, time } from '../schema-parts.ts';
import { beginSession, requestOf } from './begin-session.ts';
import { countGuesses } from './count-guesses.ts';
import { LinkBody, linkMembers, Session } from './session-schemas.ts';

const Begun = shape('BegunPasskey', {
  options_json: text('What the browser is asked, as JSON: the `publicKey` of `navigator.credentials`.'),
  challenge: text('To send with the answer of the browser, within five minutes.'),
});

const begunToWire = ({ optionsJson, challenge }: { readonly optionsJson: string; readonly challenge: string }) => ({
  options_json: optionsJson,
  challenge,
});

const Answer = Type.Object(
  {
    challenge: Type.String({ minLength: 1, maxLength: 1_024, description: 'What the begin answered.' }),
    response_json: Type.String({ minLength: 2, maxLength: 32_768, description: 'The answer of the browser, as JSON.' }),
  },
  closed,
);

export const beginPasskeySignIn = openRoute({
  operation: 'beginPasskeySignIn',
  method: 'POST',
  path: '/operator/v1/session/passkey/begin',
  tag: 'Sign-in',
  summary: 'Begin to sign in with a passkey',
  answer: Begun,
  handle: async ({ tools, request }) => begunToWire(await signIns.beginPasskeySignIn(tools, pageAddressOf(request))),
});

export const signInWithPasskey = openRoute({
  operation: 'signInWithPasskey',
  method: 'POST',
  path: '/operator/v1/session/passkey',
  tag: 'Sign-in',
  summary: 'Sign in with a passkey',
  description:
    'Sets the cookie of the session. The authenticator has checked who holds it, so that no code of an authenticator app is asked for.',
  body: Answer,
  answer: Session,
  async handle({ tools, request, reply, body: { challenge, response_json: responseJson } }) {
    const given = { ...pageAddressOf(request), challenge, responseJson };
    return beginSession(
      reply,
      await countGuesses(tools, () => signIns.signInByPasskey(tools, given, { request: requestOf(request, tools.environment) })),
      tools,
    );
  },
});

export const beginPasskeySignInAgain = operatorRoute({
  operation: 'beginPasskeySignInAgain',
  method: 'POST',
  path: '/operator/v1/session/again/passkey/begin',
  tag: 'Sign-in',
  summary: 'Begin to give a passkey again',
  leastRole: 'viewer',
  answer: Begun,
  handle: async ({ tools, request, actor: { operatorId } }) =>
    begunToWire(await signIns.beginPasskeySignIn(tools, pageAddressOf(request), operatorId)),
});

export const signInAgainWithPasskey = operatorRoute({
  operation: 'signInAgainWithPasskey',
  method: 'POST',
  path: '/operator/v1/session/again/passkey',
  tag: 'Sign-in',
  summary: 'Give a passkey again',
  description: 'Instead of the password, before an operation that needs a sign-in of the last 10 minutes.',
  leastRole: 'viewer',
  body: Answer,
  answer: Session,
  async handle({ tools, request, reply, actor: { operatorId }, body: { challenge, response_json: responseJson } }) {
    const given = { ...pageAddressOf(request), challenge, responseJson };
    const asked = { request: requestOf(request, tools.environment), again: operatorId };
    const opened = await countGuesses(tools, () => signIns.signInByPasskey(tools, given, asked));
    return beginSession(reply, opened, tools);
  },
});

const NewPasskey = Type.Object(
  { name: line('A name for it, such as the name of the device.', 100), ...Answer.properties },
  closed,
);

export const beginPasskeyWithLink = openRoute({
  operation: 'beginPasskeyWithLink',
  method: 'POST',
  path: '/operator/v1/session/link/passkey/begin',
  tag: 'Sign-in',
  summary: 'Begin to sign in with a one-time link, and add a passkey',
  description:
    'Instead of a password. The code of a second factor is used here. The link is not, until the answer of the browser comes back with the `challenge`.',
  body: LinkBody,
  answer: Begun,
  handle: async ({ tools, request, body: { code, totp } }) =>
    begunToWire(await countGuesses(tools, () => beginPasskeyByCode(tools, { code, totp }, pageAddressOf(request)))),
});

export const signInWithLinkAndPasskey = openRoute({
  operation: 'signInWithLinkAndPasskey',
  method: 'POST',
  path: '/operator/v1/session/link/passkey',
  tag: 'Sign-in',
  summary: 'Sign in with a one-time link, and add a passkey',
  description:
    'The code of the link works once, for a day. The passkey signs in from then on; a password of before and all sessions of the operator end.',
  body: Type.Object({ code: linkMembers.code, ...NewPasskey.properties }, closed),
  answer: Session,
  async handle({ tools, request, reply, body: { code, name, challenge, response_json: responseJson } }) {
    const given = { ...pageAddressOf(request), code, name, challenge, responseJson };
    const opened = await countGuesses(tools, () => addPasskeyByCode(tools, given, requestOf(request, tools.environment)));
    return beginSession(reply, opened, tools);
  },
});

const PATH = '/operator/v1/session/passkeys';

const Passkey = shape('Passkey', {
  passkey_id: text('The id of the passkey.'),
  name: text('The name that the person gave it.'),
  host: text('The host name of the console that it signs in to.'),
  created_at: time('When it was added.'),
  last_used_at: nullableTime('When it was last used, to the minute; `null` before.'),
});

function passkeyToWire(passkey: StoredPasskey) {
  const { name, rp_id } = passkeys.readPasskey(passkey);
  const { credentialId, createdAt, lastUsedAt } = passkey;
  return { passkey_id: credentialId, name, host: rp_id, created_at: createdAt, last_used_at: lastUsedAt };
}

export const getPasskeys = operatorRoute({
  operation: 'getPasskeys',
  method: 'GET',
  path: PATH,
  tag: 'Sign-in',
  summary: 'Show the own passkeys',
  leastRole: 'viewer',
  answer: shape('Passkeys', { passkeys: listOf(Passkey, 'Ten at most, the oldest first.') }),
  handle: async ({ tools: { database }, actor: { operatorId } }) => ({
    passkeys: (await listPasskeys(database.pool, operatorId)).map(passkeyToWire),
  }),
});

export const beginPasskey = operatorRoute({
  operation: 'beginPasskey',
  method: 'POST',
  path: `${PATH}/begin`,
  tag: 'Sign-in',
  summary: 'Begin to add a passkey',
  description: 'Nothing changes until the answer of the browser comes back with the `challenge`.',
  leastRole: 'viewer',
  needsRecentSignIn: true,
  answer: Begun,
  handle: async ({ tools, request, actor: { operatorId } }) =>
    begunToWire(
      await passkeys.beginPasskey(tools, { operatorId, purpose: passkeys.purposeOfAdding(operatorId) }, pageAddressOf(request)),
    ),
});

export const addPasskey = operatorRoute({
  operation: 'addPasskey',
  method: 'POST',
  path: PATH,
  tag: 'Sign-in',
  summary: 'Add a passkey',
  description: 'From then on it signs in, beside the password. It is bound to the host name of the console.',
  leastRole: 'viewer',
  needsRecentSignIn: true,
  body: NewPasskey,
  answer: Passkey,
  async handle({ tools, request, actor, body: { name, challenge, response_json: responseJson } }) {
    return passkeyToWire(await passkeys.addPasskey(tools, actor, { ...pageAddressOf(request), name, challenge, responseJson }));
  },
});

export const removePasskey = operatorRoute({
  operation: 'removePasskey',
  method: 'DELETE',
  path: `${PATH}/:passkey_id`,
  tag: 'Sign-in',
  summary: 'Remove a passkey',
  leastRole: 'viewer',
  needsRecentSignIn: true,
  params: idParams('passkey_id', 'The id of the passkey.'),
  answer: Type.Object({ removed: flag('Always `true`.') }, closed),
  async handle({ tools, actor, params: { passkey_id: credentialId } }) {
    await passkeys.removePasskey(tools, actor, credentialId);
    return { removed: true };
  },
});
