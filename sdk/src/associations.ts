import { createHash } from 'node:crypto';
import type { Association } from './association.ts';
import { decode } from './decode.ts';
import { BrokenAnswerError } from './errors.ts';
import { stringifyExactJson } from './exact-json.ts';
import type { Link } from './generated/types.ts';
import { pathSegment } from './http/path-segment.ts';
import { type CallOptions, requestMember } from './http/request.ts';
import type { Transport } from './http/transport.ts';

/** Links of estimates to confirmed contributions. A failure here never changes the contribution. */
export class Associations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Links an estimate to a confirmed contribution of the same order. The key follows from the two ids, so that a repetition, in another
   * process too, gives the first link.
   *
   * @throws EstimateNotFoundError, EstimateExpiredError, CalculationMismatchError, AssociationConflictError, ContributionPendingError,
   * or another ServiceError; NoAnswerError. None of them authorises a restoration of points.
   */
  async create(ids: { readonly transactionId: string; readonly calculationId: string }, options?: CallOptions): Promise<Link> {
    const { transactionId, calculationId } = ids;
    const idempotencyKey = `associate-${createHash('sha256').update(`${transactionId} ${calculationId}`).digest('hex')}`;
    const path = `/v1/impact-transactions/${pathSegment('transactionId', transactionId)}/emissions-associations`;
    const body = stringifyExactJson({ calculation_id: calculationId });
    const call = { method: 'POST', path, idempotencyKey, body } as const;
    const association = decode<Association>(await requestMember(this.#transport, call, 'association', options));
    if (association.status !== 'associated') throw new BrokenAnswerError(200, 'The service linked nothing, and named no error.');
    return association.link;
  }
}
