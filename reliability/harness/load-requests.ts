/** Confirmations and look-ups as bytes, made cheaply: whoever makes load on the same machine takes the service's time. */

const PREFIX = '/v1/impact-transactions';

export interface RequestMaker {
  /** A valid confirmation of an event that nobody used before. */
  confirmation(): Buffer;
  /** A look-up of an event that was confirmed. */
  lookup(): Buffer;
}

/** The first confirmation of a run of this name is what is looked up unless another run is named, so it has to be the first run. */
export const FIRST_RUN = 'peak';

export function requestMaker(apiKey: string, run: string, lookedUpRun = FIRST_RUN): RequestMaker {
  const lookup = `GET ${PREFIX}?partner_event_id=${nameOf(lookedUpRun, 0)} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`;
  let made = 0;
  return {
    confirmation() {
      const event = nameOf(run, made++);
      const body = `{"partner_event_id":"${event}","partner_order_ref":"${event}","points":250}`;
      const head = `POST ${PREFIX} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\nIdempotency-Key: ${event}\r\nContent-Length: ${body.length}\r\n\r\n`;
      return Buffer.from(head + body, 'latin1');
    },
    lookup: () => Buffer.from(lookup, 'latin1'),
  };
}

/** The event of a confirmation; it names its order and its key too. */
export function nameOf(run: string, number: number): string {
  return `load-${run}-${String(number).padStart(9, '0')}`;
}
