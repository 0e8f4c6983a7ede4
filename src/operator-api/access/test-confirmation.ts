import { parseApiKey } from '../../domain/access/api-key.ts';
import { CONTRIBUTION_STATUSES, type ContributionStatus } from '../../domain/contributions/contribution-status.ts';
import { invalidRequest, ServiceError, unavailable } from '../../domain/service-error.ts';
import { recordTestConfirmation } from '../../operations/access/record-test-confirmation.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { listApiKeys } from '../../store/access/api-key.ts';
import { operatorRoute } from '../route.ts';
import { closed, idParams, nullableOneOf, nullableText, shape } from '../schema-parts.ts';

export interface TestConfirmationRequest {
  readonly apiKey: string;
  readonly idempotencyKey: string;
  readonly correlationId: string;
  readonly body: object;
}

/** How a confirmation goes the way of a partner's request. */
export type PartnerCall = (sent: TestConfirmationRequest) => Promise<{ readonly status: number; readonly text: string }>;

const TEST_POINTS = 10;

export const sendTestConfirmation = operatorRoute({
  operation: 'sendTestConfirmation',
  method: 'POST',
  path: '/operator/v1/partners/:partner_id/test-confirmation',
  tag: 'Partners',
  summary: 'Confirm a contribution of 10 points with a key of the partner, in a sandbox',
  description:
    'The service sends it to itself as the partner would, so that the key, the rules and the endpoint of the partner are used. The key is not kept.',
  leastRole: recordTestConfirmation.leastRole,
  isFinal: true,
  deadlineMs: 15_000,
  params: idParams('partner_id', 'The id of the partner.'),
  body: Type.Object(
    { api_key: Type.String({ minLength: 1, maxLength: 200, description: 'A key of the partner that may write.' }) },
    closed,
  ),
  answer: shape('TestConfirmation', {
    http_status: Type.Integer({ description: 'The status of the answer.' }),
    transaction_id: nullableText('The contribution; `null` where none was recorded.'),
    status: nullableOneOf(CONTRIBUTION_STATUSES, 'What it is; `null` where none was recorded.'),
    message: nullableText('Why the confirmation was refused; `null` otherwise.'),
  }),
  async handle({ tools, actor, work, params: { partner_id: partnerId }, body: { api_key: apiKey } }) {
    if (tools.environment !== 'sandbox')
      throw new ServiceError('invalid_request', 'Only a sandbox confirms on request. In production the partner confirms.');
    const keys = await listApiKeys(tools.database.pool, partnerId);
    const keyId = parseApiKey(apiKey)?.keyId;
    if (!keys.some((key) => key.keyId === keyId)) throw notTheirs();
    const test = `test-${work.workId}`;
    await recordTestConfirmation(tools.database, actor, { partnerId, partnerEventId: test });
    const sent = { partner_event_id: test, partner_order_ref: test, points: TEST_POINTS };
    const call = { apiKey, idempotencyKey: test, correlationId: actor.correlationId, body: sent };
    const { status, text } = await tools.callPartnerApi(call).catch((cause: unknown) => {
      throw unavailable('The interface of partners did not answer. Look at the contributions before you repeat it.', { cause });
    });
    const answer = JSON.parse(text) as PartnerAnswer;
    // Whether the contribution is recorded is not known yet: the next request with this key asks again. A refusal of a repeated
    // confirmation, such as of a key that was revoked meanwhile, says nothing of the first.
    if (status >= 500 || status === 429 || (work.isTakenOver && status >= 400))
      throw unavailable(`The interface of partners answered ${status}: ${answer.error?.message}`);
    return present(status, answer);
  },
});

interface PartnerAnswer {
  readonly contribution?: { readonly transaction_id: string; readonly status: ContributionStatus };
  readonly error?: { readonly message: string };
}

function present(status: number, { contribution, error }: PartnerAnswer) {
  return {
    http_status: status,
    transaction_id: contribution?.transaction_id ?? null,
    status: contribution?.status ?? null,
    message: error?.message ?? null,
  };
}

function notTheirs(): ServiceError {
  const message = 'api_key must be a key of this partner. Issue one, or copy it again.';
  return invalidRequest([{ field: 'api_key', code: 'not_found', message }]);
}
