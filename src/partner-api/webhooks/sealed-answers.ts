import type { AnswerSeal } from '../../operations/access/answer-once.ts';
import type { EndpointTools } from '../../webhooks/endpoints/endpoint-context.ts';

/** What the sealed text belongs to: copied to the place of an endpoint's secret it does not open. */
const CONTEXT = 'keyed_answer';

/** An answer that tells a secret is kept under the keys that secrets of endpoints are. */
export function sealedAnswers(tools: Pick<EndpointTools, 'secretBox'>): AnswerSeal {
  return {
    seal: (text) => tools.secretBox.seal(CONTEXT, text),
    open: (sealed) => tools.secretBox.open(CONTEXT, sealed),
  };
}
