import { invalidRequest, type ServiceError } from '../../domain/service-error.ts';
import * as operations from '../../operations/access/manage-api-key.ts';
import { getPartner } from '../../operations/access/manage-partner.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { readTime } from '../../partner-api/validation/read-time.ts';
import { type ApiKey, listApiKeys as listAll } from '../../store/access/api-key.ts';
import { readClock } from '../../store/clock.ts';
import type { Database } from '../../store/database.ts';
import { pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, idParams, line, listOf, nullableTime, oneOf, shape, text, time } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';
import { pageOfWhole } from '../whole-list.ts';

const KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
const PERMISSIONS = ['read_write', 'read_only', 'manage'] as const;
const Permission = oneOf(PERMISSIONS, '`manage` is a `read_write` that may also change the endpoints of the partner.');

const KeyBody = shape('ApiKey', {
  key_id: text('The id of the key, a part of it that is no secret.'),
  partner_id: text('The id of the partner.'),
  name: text('The name of the key.'),
  permission: Permission,
  status: oneOf(KEY_STATUSES, 'Whether it may be used.'),
  allowed_addresses: listOf(text('An address or a CIDR block.'), 'From where it may be used; empty for everywhere.'),
  created_at: time('When it was issued.'),
  expires_at: nullableTime('When it ends; `null` without an end.'),
  revoked_at: nullableTime('When it was revoked; `null` unless it was.'),
  last_used_at: nullableTime('When it was last used, to the minute; `null` before.'),
});

/** @param now Of a key that was issued or revoked just now it changes nothing. */
function keyToWire(key: ApiKey, now = key.createdAt) {
  return {
    key_id: key.keyId,
    partner_id: key.partnerId,
    name: key.name,
    permission: key.permission,
    status: statusOf(key, now),
    allowed_addresses: key.allowedAddresses,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
  };
}

const Issued = shape('IssuedApiKey', { key: KeyBody, api_key: text('The whole key, shown this once.') });

const issuedToWire = ({ key, apiKey }: operations.IssuedApiKey) => ({ key: keyToWire(key), api_key: apiKey });

const order = sorting(['created_at', 'name'], '-created_at');

function statusOf({ revokedAt, expiresAt }: ApiKey, now: Date): (typeof KEY_STATUSES)[number] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

export const listApiKeys = operatorRoute({
  operation: 'listApiKeys',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/keys',
  tag: 'Partners',
  summary: 'List the API keys of a partner',
  leastRole: 'viewer',
  params: idParams('partner_id', 'The id of the partner.'),
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      permission: Type.Optional(oneOf(PERMISSIONS, 'Only those with this permission.')),
      status: Type.Optional(oneOf(KEY_STATUSES, 'Only those that stand so.')),
    },
    closed,
  ),
  answer: pageOf('ApiKeyPage', 'keys', KeyBody, 'The keys of the page.'),
  async handle({ tools: { database }, params: { partner_id: partnerId }, query }) {
    const { permission, status } = query;
    await getPartner(database.pool, partnerId);
    const now = await readClock(database.pool);
    const wanted = (await listAll(database.pool, partnerId)).filter(
      (key) => (permission ?? key.permission) === key.permission && (status === undefined || status === statusOf(key, now)),
    );
    const sorted = sortedPage('listApiKeys', order, query, [partnerId, permission, status]);
    const { page, end } = pageOfWhole(wanted, sorted, ({ name, createdAt, keyId }, by) => [
      by === 'name' ? name.toLowerCase() : createdAt.toISOString(),
      keyId,
    ]);
    return { keys: page.map((key) => keyToWire(key, now)), ...end };
  },
});

export const issueApiKey = operatorRoute({
  operation: 'issueApiKey',
  method: 'POST',
  path: '/operator/v1/partners/:partner_id/keys',
  tag: 'Partners',
  summary: 'Issue an API key',
  leastRole: operations.issueApiKey.leastRole,
  isFinal: true,
  ifSecretIsLost: 'If nobody has kept it, revoke the new API key and issue another one.',
  params: idParams('partner_id', 'The id of the partner.'),
  body: Type.Object(
    {
      name: line('The name of the key.', 200),
      permission: Permission,
      expires_at: Type.Optional(
        Type.String({ minLength: 20, maxLength: 40, description: 'When it ends: a time to come, in ISO 8601 with its zone.' }),
      ),
    },
    closed,
  ),
  answer: Issued,
  async handle({ tools, actor, work, params: { partner_id: partnerId }, body }) {
    const { name, permission } = body;
    const expiresAt = readTime('expires_at', body.expires_at) ?? null;
    if (expiresAt !== null && expiresAt <= (await readClock(tools.database.pool))) throw endIsOver();
    const wanted = { environment: tools.environment, partnerId, name, permission, allowedAddresses: [], expiresAt };
    return work.answer(tools.database, (database) => operations.issueApiKey(database, actor, wanted), issuedToWire);
  },
});

function endIsOver(): ServiceError {
  return invalidRequest([{ field: 'expires_at', code: 'too_soon', message: 'expires_at must be in the future.' }]);
}

const PATH = '/operator/v1/keys/:key_id';
const params = idParams('key_id', 'The id of the key.');

export const rotateApiKey = operatorRoute({
  operation: 'rotateApiKey',
  method: 'POST',
  path: `${PATH}/rotate`,
  tag: 'Partners',
  summary: 'Issue a new key for an old one, which ends after 24 hours',
  leastRole: operations.rotateApiKey.leastRole,
  isFinal: true,
  ifSecretIsLost: 'If nobody has kept it, revoke the new API key and issue another one.',
  params,
  answer: Issued,
  async handle({ tools, actor, work, params: { key_id: keyId } }) {
    const rotation = { environment: tools.environment, keyId };
    const rotated = (database: Database) => operations.rotateApiKey(database, actor, rotation);
    return work.answer(tools.database, rotated, ({ issued }) => issuedToWire(issued));
  },
});

export const revokeApiKey = operatorRoute({
  operation: 'revokeApiKey',
  method: 'POST',
  path: `${PATH}/revoke`,
  tag: 'Partners',
  summary: 'Revoke an API key, permanently',
  leastRole: operations.revokeApiKey.leastRole,
  isFinal: true,
  params,
  answer: KeyBody,
  handle: ({ tools, actor, work, params: { key_id: keyId } }) =>
    work.answer(
      tools.database,
      (database) => operations.revokeApiKey(database, actor, keyId),
      (key) => keyToWire(key),
    ),
});
