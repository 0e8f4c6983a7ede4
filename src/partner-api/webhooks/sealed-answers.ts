import type { AnswerSeal } from '../../operations/answer-once.ts';
import type { KeyedRequest } from '../../store/keyed-answer.ts';
import type { EndpointTools } from '../../webhooks/endpoints/endpoint-context.ts';

/** What the sealed text belongs to: copied to another request's place, or to that of an endpoint's secret, it does not open. */
function contextOf({ callerId, operation, idempotencyKey }: KeyedRequest): string {
  return `keyed_answer ${callerId} ${operation} ${idempotencyKey}`;
}

/** An answer that tells a secret is kept under the keys that secrets of endpoints are. */
export function sealedAnswers(tools: Pick<EndpointTools, 'secretBox'>): AnswerSeal {
  return {
    seal: (request, text) => tools.secretBox.seal(contextOf(request), text),
    open: (request, sealed) => tools.secretBox.open(contextOf(request), sealed),
  };
}
