import type { PartnerCall } from '../operator-api/access/test-confirmation.ts';

const TIMEOUT_MS = 9_000;

/** Sends a confirmation to the partners' interface of this service, over its socket as a partner does. */
export function callPartnerApi(baseUrl: () => string): PartnerCall {
  return async ({ apiKey, idempotencyKey, correlationId, body }) => {
    const answer = await fetch(`${baseUrl()}/v1/impact-transactions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': apiKey,
        'idempotency-key': idempotencyKey,
        'x-correlation-id': correlationId,
      },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: answer.status, text: await answer.text() };
  };
}
