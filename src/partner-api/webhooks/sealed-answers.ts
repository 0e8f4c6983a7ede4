import { ServiceError } from '../../domain/service-error.ts';
import type { AnswerSeal } from '../../operations/answer-once.ts';
import { type KeyedRequest, REMOVED_ANSWER } from '../../store/keyed-answer.ts';
import type { EndpointTools } from '../../webhooks/endpoints/endpoint-context.ts';
import { SecretUnreadableError } from '../../webhooks/security/secret-box.ts';

/** What the sealed text belongs to: copied to another request's place, or to that of an endpoint's secret, it does not open. */
function contextOf({ callerId, operation, idempotencyKey }: KeyedRequest): string {
  return `keyed_answer ${callerId} ${operation} ${idempotencyKey}`;
}

/** Of an endpoint, for its partner. */
export const IF_SECRET_IS_LOST = 'If you have not kept it, POST …/rotate-secret of the endpoint makes another one.';

/**
 * An answer that tells a secret is kept under the keys that secrets of endpoints are. Once it was removed, or the key that sealed it, a
 * repetition of the request is refused.
 *
 * @param ifLost The next step of whoever has not kept the secret: a sentence.
 */
export function sealedAnswers({ secretBox }: Pick<EndpointTools, 'secretBox'>, ifLost: string): AnswerSeal {
  return {
    seal: (request, text) => secretBox.seal(contextOf(request), text),
    open(request, sealed) {
      if (sealed === REMOVED_ANSWER) throw secretIsGone(ifLost);
      try {
        return secretBox.open(contextOf(request), sealed);
      } catch (error) {
        if (error instanceof SecretUnreadableError && error.isKeyMissing) throw secretIsGone(ifLost, error);
        throw error;
      }
    },
  };
}

function secretIsGone(ifLost: string, cause?: unknown): ServiceError {
  const message = `This request was carried out before, and the secret of its answer can no longer be shown. ${ifLost}`;
  return new ServiceError('invalid_request', message, {
    details: [{ field: 'Idempotency-Key', code: 'not_possible', message }],
    cause,
  });
}
