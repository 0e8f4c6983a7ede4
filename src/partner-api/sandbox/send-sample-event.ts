import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { EventType } from '../../domain/events/event.ts';
import type { ReadinessItem } from '../../domain/sandbox/readiness.ts';
import type { SampleFault } from '../../domain/sandbox/sample-fault.ts';
import { actorOf } from '../../operations/sandbox/sandbox-actor.ts';
import { type SentSample, sendSamples } from '../../webhooks/endpoints/send-samples.ts';
import { EVENT_EXAMPLES } from '../events/event-examples.ts';
import type { Example } from '../openapi/openapi-examples.ts';
import { Type } from '../schema-type.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { callerIn, type SandboxApiOptions } from './sandbox-api-options.ts';
import { SampleBody, SampleDelivery } from './sandbox-schemas.ts';

/** Two answers of a slow receiver. */
const DEADLINE_MS = 40_000;

type Body = Static<typeof SampleBody>;

/** Sends a sample of any event type, with a fault on request. */
export function sendSandboxEvent(app: FastifyInstance, options: SandboxApiOptions): void {
  postWithStoredAnswer<Body>(app, options, {
    operation: 'sendSandboxEvent',
    path: '/v1/sandbox/events',
    body: SampleBody,
    answer: {
      deliveries: Type.Array(SampleDelivery, { description: 'The deliveries in the order in which the service sent them.' }),
    },
    deadlineMs: DEADLINE_MS,
    async work(call) {
      const { event_type: eventType, endpoint_id: endpointId, fault, change } = call.body;
      const caller = callerIn(call);
      const { partnerId } = caller;
      const wanted = { partnerId, endpointId, eventType, fault, data: sampleData(eventType, change) };
      const sent = await sendSamples(
        { ...options.endpointTools, database: options.databaseOf(partnerId) },
        actorOf(caller),
        wanted,
      );
      const deliveries = sent.map(toWire);
      const item = shownBy(fault, deliveries);
      if (item) options.readiness.record(item, { ...caller, subjectId: sent[0]?.eventId ?? null });
      return { deliveries };
    },
  });
}

/** The evidence of a receiver's answer. */
function shownBy(
  fault: SampleFault | undefined,
  deliveries: readonly Static<typeof SampleDelivery>[],
): ReadinessItem | undefined {
  if (!deliveries.every(({ as_expected }) => as_expected)) return undefined;
  if (fault === undefined) return 'sample_accepted';
  if (fault === 'bad_signature') return 'bad_signature_refused';
  return fault === 'duplicate' ? 'acknowledged_repeated_event' : undefined;
}

/** The example of the event type in the reference. */
function sampleData(eventType: EventType, change: Body['change'] = 'failed'): object {
  const examples = EVENT_EXAMPLES[eventType];
  const [first] = Object.values(examples) as [Example];
  const { value } = examples[change] ?? first;
  return (value as { data: object }).data;
}

function toWire({ isSuccess, isExpectedToBeRefused, ...sent }: SentSample): Static<typeof SampleDelivery> {
  const isRefused = sent.status !== null && sent.status >= 400 && sent.status < 500;
  return {
    delivery_id: sent.deliveryId,
    endpoint_id: sent.endpointId,
    event_id: sent.eventId,
    event_type: sent.eventType,
    delivered: isSuccess,
    status: sent.status,
    error_class: sent.errorClass,
    milliseconds: Math.round(sent.milliseconds),
    expected: isExpectedToBeRefused ? 'refused' : 'accepted',
    as_expected: isExpectedToBeRefused ? isRefused : isSuccess,
  };
}
