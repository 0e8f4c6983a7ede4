import { decode, isJsonObject } from './decode.ts';
import { BrokenAnswerError, InvalidValueError } from './errors.ts';
import type { Contribution } from './generated/types.ts';
import { list } from './http/list.ts';
import { pathSegment } from './http/path-segment.ts';
import { type CallOptions, request } from './http/request.ts';
import type { Transport } from './http/transport.ts';
import type { ContributionRecord } from './outcome.ts';

/** When contributions were recorded: at least one of the two. */
export interface RecordedPeriod {
  /** At this time or later. */
  readonly from?: Date;
  /** Before this time. */
  readonly to?: Date;
}

/**
 * What is recorded, for people who ask and for a comparison with your own records. `confirmedAt` and `failedAt` of a contribution say when
 * it became final; both are `null` while it is under review. Nothing here gives points back, and nothing here says that a contribution will
 * not be recorded: give the stored intent to `confirm` for that.
 */
export class Contributions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** @throws ContributionNotFoundError, or another ServiceError; NoAnswerError. */
  async get(transactionId: string, options?: CallOptions): Promise<ContributionRecord> {
    return this.#read(`/v1/impact-transactions/${pathSegment('transactionId', transactionId)}`, options);
  }

  /**
   * By `eventId` of the intent.
   *
   * @throws ContributionNotFoundError, or another ServiceError; NoAnswerError.
   */
  async getByEvent(eventId: string, options?: CallOptions): Promise<ContributionRecord> {
    return this.#read(`/v1/impact-transactions?partner_event_id=${pathSegment('eventId', eventId)}`, options);
  }

  /**
   * The oldest first. What is being recorded during the call may be missing.
   *
   * @throws InvalidValueError for a period without a time, or with one that is none; ServiceError, NoAnswerError.
   */
  list(period: RecordedPeriod, options?: CallOptions): AsyncGenerator<Contribution, void> {
    const { from, to } = period;
    if (from === undefined && to === undefined) throw new InvalidValueError('from', 'a Date, or to has to be one');
    const query = new URLSearchParams({
      limit: '500',
      ...member('created_after', 'from', from),
      ...member('created_before', 'to', to),
    });
    return list(this.#transport, `/v1/impact-transactions?${query}`, 'contributions', options);
  }

  async #read(path: string, options: CallOptions | undefined): Promise<ContributionRecord> {
    const { contribution, association = { status: 'not_requested' } } = await request(this.#transport, { path }, options);
    if (!isJsonObject(contribution)) throw new BrokenAnswerError(200, 'HTTP 200 with JSON that has no contribution.');
    return decode<ContributionRecord>({ contribution, association });
  }
}

function member(name: string, option: string, time: Date | undefined): Record<string, string> {
  if (time === undefined) return {};
  if (!(time instanceof Date) || Number.isNaN(time.getTime())) throw new InvalidValueError(option, 'a valid Date');
  return { [name]: time.toISOString() };
}
