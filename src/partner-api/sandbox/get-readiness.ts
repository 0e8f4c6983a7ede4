import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { READINESS_CHECKS, type ReadinessCheck } from '../../domain/sandbox/readiness.ts';
import type { CheckedItem } from '../../operations/sandbox/readiness.ts';
import { Echo } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { closed, nullable, time } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';
import { readTime } from '../validation/read-time.ts';
import type { SandboxApiOptions } from './sandbox-api-options.ts';

const EvidenceView = Type.Object(
  {
    correlation_id: nullable({}, 'The correlation identifier of the request; `null` for a reconciliation.'),
    subject_id: nullable({}, 'The id of the record; `null` without one.'),
    seen_at: time('When the service received the request, in UTC.'),
  },
  closed,
);

const Check = Type.Object(
  {
    check: Type.Unsafe<ReadinessCheck>({
      type: 'string',
      enum: Object.keys(READINESS_CHECKS),
      description: 'What your program must have done in the sandbox.',
    }),
    passed: Type.Boolean({ description: 'Whether your requests have shown it.' }),
    evidence: Type.Array(EvidenceView, { description: 'The requests that showed it; empty before that.' }),
    what_to_do: Type.String({ description: 'What your program has to do to pass the check.' }),
  },
  closed,
);

const ReadinessBody = Type.Object(
  {
    readiness: Type.Object(
      {
        ready: Type.Boolean({ description: 'Whether every check is passed.' }),
        checks: Type.Array(Check, { description: 'The checks, in the order of the guide.' }),
      },
      closed,
    ),
    request: Echo,
  },
  closed,
);

const ReadinessQuery = Type.Object(
  {
    since: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        format: 'date-time',
        description: 'Only what began at this time or later counts; all of your traffic when it is omitted.',
      }),
    ),
  },
  closed,
);

/** @see docs/spec/decisions.md#8-sandbox, last paragraph. */
export function getSandboxReadiness(app: FastifyInstance, { readiness }: SandboxApiOptions): void {
  app.get<{ Querystring: Static<typeof ReadinessQuery> }>(
    '/v1/sandbox/readiness',
    {
      config: { operation: 'getSandboxReadiness', policy: REPORT },
      schema: { ...describeOperation('getSandboxReadiness'), querystring: ReadinessQuery, response: { 200: ReadinessBody } },
    },
    async (request) => {
      const since = readTime('since', request.query.since) ?? null;
      const checks = await beforeDeadline(request, readiness.check(callerOf(request).partnerId, since));
      return {
        readiness: { ready: checks.every(({ evidence }) => evidence.length > 0), checks: checks.map(toWire) },
        request: { correlation_id: request.context.correlationId },
      };
    },
  );
}

function toWire({ check, evidence, whatToDo }: CheckedItem) {
  return {
    check,
    passed: evidence.length > 0,
    evidence: evidence.map(({ correlationId, subjectId, seenAt }) => ({
      correlation_id: correlationId,
      subject_id: subjectId,
      seen_at: seenAt.toISOString(),
    })),
    what_to_do: whatToDo,
  };
}
