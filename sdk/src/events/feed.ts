import { BrokenAnswerError, EventsRemovedError } from '../errors.ts';
import { stringifyExactJson } from '../exact-json.ts';
import { type CallOptions, request } from '../http/request.ts';
import type { Transport } from '../http/transport.ts';
import { readEnvelope } from './event.ts';
import type { Inbox } from './inbox.ts';

const PAGE = 500;

type FeedInbox = Pick<Inbox, 'position' | 'add'>;

/** What the service keeps of its events, for an inbox that misses some of them. */
export class Feed {
  readonly #transport: Transport;
  readonly #inbox: FeedInbox;
  readonly #report: (removed: EventsRemovedError) => void;
  /** The last sequence of which was told that the feed does not have it. */
  #removedUpTo = 0n;

  constructor(transport: Transport, inbox: FeedInbox, report: (removed: EventsRemovedError) => void) {
    this.#transport = transport;
    this.#inbox = inbox;
    this.#report = report;
  }

  /** Stores the next events behind the inbox's position. @returns Whether there are more. */
  async storePage(options?: CallOptions): Promise<boolean> {
    let follows = await this.#inbox.position();
    const path = `/v1/events?after_sequence=${follows}&limit=${PAGE}`;
    const { events, has_more: hasMore } = await request(this.#transport, { path }, options);
    if (!Array.isArray(events)) throw new BrokenAnswerError(200, 'The feed of events has no events.');
    for (const body of events) {
      const envelope = readEnvelope(body);
      if (!envelope || envelope.sequence === null) throw new BrokenAnswerError(200, 'The feed has something that is no event.');
      const { eventId, sequence } = envelope;
      if (sequence > follows + 1n) this.#reportRemoved(follows + 1n, sequence - 1n);
      await this.#inbox.add({ eventId, sequence, follows, body: stringifyExactJson(body) });
      follows = sequence;
    }
    return hasMore === true && events.length > 0;
  }

  /** Once, however often the page with them is fetched, as while another process handles. */
  #reportRemoved(first: bigint, last: bigint): void {
    if (last <= this.#removedUpTo) return;
    this.#removedUpTo = last;
    this.#report(new EventsRemovedError(first, last));
  }
}
