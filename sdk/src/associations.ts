import { createHash } from 'node:crypto';
import type { Association } from './association.ts';
import { decode } from './decode.ts';
import { stringifyExactJson } from './exact-json.ts';
import type { Link } from './generated/types.ts';
import { pathSegment } from './http/path-segment.ts';
import { type CallOptions, request } from './http/request.ts';
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
    const answer = await request(this.#transport, { method: 'POST', path, idempotencyKey, body }, options);
    const association = decode<Association>(answer['association']);
    if (association?.status !== 'associated') throw new TypeError('The service linked nothing, and named no error.');
    return association.link;
  }
}
