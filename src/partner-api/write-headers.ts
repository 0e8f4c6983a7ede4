import type { FastifyReply } from 'fastify';
import { longId } from './schema-parts.ts';
import { Type } from './schema-type.ts';

/**
 * The headers that a write declares, and the one of a repeated answer.
 *
 * @see docs/spec/interface.md#common-request-headers.
 */

export const WriteHeaders = Type.Object({
  'idempotency-key': longId('One key per event: the same key and payload give the original result. No personal data.'),
});

/** For operations that can be rehearsed. The operation reads it: in production it is ignored, whatever it contains. */
export const RehearsedHeaders = Type.Object({
  ...WriteHeaders.properties,
  'x-sandbox-scenario': Type.Optional(
    Type.String({
      description:
        'In the sandbox: what to rehearse, such as `timeout_after_commit`, `service_unavailable;times=2`, `pending_then_failed;after=30s` or `slow;ms=8000`. Not part of the payload; ignored in production.',
    }),
  ),
});

/** The answer to a repeated write: the original result of its key, with `Idempotent-Replayed: true`. */
export function markReplayed(reply: FastifyReply): void {
  reply.header('idempotent-replayed', 'true');
}
