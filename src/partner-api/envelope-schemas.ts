import { ERROR_CODE_NAMES } from '../domain/error-codes.ts';
import { closed, longId } from './schema-parts.ts';
import { Type } from './schema-type.ts';

/**
 * The members around the records, the same for all operations.
 *
 * @see docs/spec/interface.md#common-request-headers, docs/spec/interface.md#request-echo-object-request and
 * docs/spec/interface.md#errors.
 */

export const NoQuery = Type.Object({}, closed);

const correlationId = longId("The request's correlation identifier.");
export const Echo = Type.Object({ correlation_id: correlationId }, closed);
export const KeyedEcho = Type.Object(
  { correlation_id: correlationId, idempotency_key: longId('The Idempotency-Key of the request.') },
  closed,
);

export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Unsafe<string>({
          type: 'string',
          description: `One of ${ERROR_CODE_NAMES.map((code) => `\`${code}\``).join(', ')}; an open list.`,
        }),
        message: Type.String({ description: 'A sentence for people: what is wrong, and what to do.' }),
        retryable: Type.Boolean({ description: 'Whether a program may soon send the identical request again.' }),
        correlation_id: correlationId,
        details: Type.Optional(
          Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() }, closed), {
            description:
              'Every problem of the request, then the recovery verdict: `point_restoration`, `next_action`, `transaction_id`.',
          }),
        ),
      },
      closed,
    ),
  },
  closed,
);
