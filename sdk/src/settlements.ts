import { randomUUID } from 'node:crypto';
import { decode } from './decode.ts';
import type { PostOptions } from './estimates.ts';
import { stringifyExactJson } from './exact-json.ts';
import type { ReconciliationLine, Settlement, SettlementAcknowledgement, SettlementLine } from './generated/types.ts';
import { list } from './http/list.ts';
import { pathSegment } from './http/path-segment.ts';
import { type CallOptions, requestMember } from './http/request.ts';
import type { Transport } from './http/transport.ts';
import { type ListedContribution, type ReconcileOptions, reconcile } from './reconcile.ts';
import { verifiedStatement } from './statement.ts';

/** What you owe for each period, and the means to check it. */
export class Settlements {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All settlements, the latest first. */
  list(options?: CallOptions): AsyncGenerator<Settlement, void> {
    return list(this.#transport, '/v1/settlements?limit=100', 'settlements', options);
  }

  /** @throws InvalidRequestError for an unknown settlement. */
  async get(settlementId: string, options?: CallOptions): Promise<Settlement> {
    return decode<Settlement>(await requestMember(this.#transport, { path: pathOf(settlementId) }, 'settlement', options));
  }

  /** The lines of a settlement, in order. */
  lines(settlementId: string, options?: CallOptions): AsyncGenerator<SettlementLine, void> {
    return list(this.#transport, `${pathOf(settlementId)}/lines?limit=1000`, 'lines', options);
  }

  /**
   * The statement of a closed settlement as CSV, in pieces as they arrive. After a broken connection the whole is asked for again, and what
   * was given is skipped. Use what you got only after the loop has ended without an error: the last step compares the SHA-256 with that of
   * the settlement.
   *
   * @throws StatementMismatchError, SettlementOpenError, ServiceError, NoAnswerError.
   */
  verified(settlementId: string, options?: CallOptions): AsyncGenerator<Uint8Array, void> {
    return verifiedStatement(this.#transport, settlementId, options);
  }

  /**
   * Compares your own list with a settlement: gives the lines of the result. A line `missing_in_service` means: confirm its intent
   * again. It never means that points may be restored.
   *
   * @param lines Up to a million. They are read once, to a temporary file, so that a broken upload can be sent again.
   * @throws ReconciliationFailedError, ServiceError, NoAnswerError.
   */
  reconcile(
    settlementId: string,
    lines: Iterable<ListedContribution> | AsyncIterable<ListedContribution>,
    options?: ReconcileOptions,
  ): AsyncGenerator<ReconciliationLine, void> {
    return reconcile(this.#transport, settlementId, lines, options);
  }

  /** Accepts or disputes a closed settlement. It reopens nothing. */
  async acknowledge(
    settlementId: string,
    acknowledgement: { readonly status: 'accepted' | 'disputed'; readonly reference?: string; readonly note?: string },
    options: PostOptions = {},
  ): Promise<SettlementAcknowledgement> {
    const { status, reference, note } = acknowledgement;
    const { idempotencyKey = randomUUID() } = options;
    const body = stringifyExactJson({ status, reference, note });
    const call = { method: 'POST', path: `${pathOf(settlementId)}/acknowledgement`, idempotencyKey, body } as const;
    return decode<SettlementAcknowledgement>(await requestMember(this.#transport, call, 'acknowledgement', options));
  }
}

function pathOf(settlementId: string): string {
  return `/v1/settlements/${pathSegment('settlementId', settlementId)}`;
}
