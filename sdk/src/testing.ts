/** For a partner's own tests: requests as the service makes them. */

import { isJsonObject } from './decode.ts';
import { sign } from './events/signature.ts';
import { parseExactJson, stringifyExactJson } from './exact-json.ts';

export interface SignedRequestOptions {
  /** The whole secret, with its `whsec_`. */
  readonly secret: string;
  /** The event with the names of the interface, such as `event_id`; or the exact body as text. A bigint keeps all its digits. */
  readonly event: object | string;
  /** Unix seconds; now unless given. */
  readonly timestamp?: number;
  /** Signs for a rotation too, as the service does until the next secret is activated. */
  readonly nextSecret?: string;
  /** `http://localhost/` unless given. */
  readonly url?: string;
}

/** A request that a receiver with this secret accepts, with the headers of a delivery. */
export function signedRequest({
  secret,
  event,
  timestamp,
  nextSecret,
  url = 'http://localhost/',
}: SignedRequestOptions): Request {
  const text = typeof event === 'string' ? event : stringifyExactJson(event);
  const body = Buffer.from(text);
  const eventId = eventIdOf(text);
  const seconds = String(timestamp ?? Math.floor(Date.now() / 1000));
  const headers = new Headers({ 'Content-Type': 'application/json', ...sign(secret, eventId, seconds, body) });
  if (nextSecret !== undefined) {
    const next = sign(nextSecret, eventId, seconds, body);
    headers.set('X-Service-Signature-Next', next['X-Service-Signature'] ?? '');
    const both = [headers.get('webhook-signature'), next['webhook-signature']].filter((text) => text);
    if (both.length > 0) headers.set('webhook-signature', both.join(' '));
  }
  return new Request(url, { method: 'POST', headers, body });
}

/** Empty where the body has none, as a test of what a receiver refuses may have it. */
function eventIdOf(body: string): string {
  try {
    const event = parseExactJson(body);
    const eventId = isJsonObject(event) ? event['event_id'] : undefined;
    return typeof eventId === 'string' && /^[A-Za-z0-9._:-]*$/.test(eventId) ? eventId : '';
  } catch {
    // Such as an event that is cut off.
    return /"event_id":"([A-Za-z0-9._:-]*)"/.exec(body)?.[1] ?? '';
  }
}

let made = 0;

/**
 * A valid event of a confirmed contribution. Members of `change` replace its own.
 *
 * @param sequence The place in the order; none is given twice by the service.
 */
export function confirmedEvent(sequence: bigint, change: object = {}): object {
  const suffix = `${process.pid}${Date.now().toString(36)}${made++}`.toUpperCase();
  return {
    event_id: `evt_TEST${suffix}`,
    event_type: 'impact.transaction.confirmed',
    api_version: 'v1',
    environment: 'sandbox',
    sequence,
    occurred_at: '2026-11-20T19:29:00.000Z',
    correlation_id: `corr_TEST${suffix}`,
    data: { contribution: contribution('confirmed', suffix), association: { status: 'not_requested' } },
    ...change,
  };
}

/** A valid event of a contribution that failed: its handler gets a permit. */
export function failedEvent(sequence: bigint, points = 250n): object {
  const event = confirmedEvent(sequence, { event_type: 'impact.transaction.adjusted' });
  const failed = { ...contribution('failed', `${process.pid}${made++}`), points };
  return { ...event, data: { change: 'failed', contribution: failed, point_restoration_authorized: true } };
}

function contribution(status: 'confirmed' | 'failed', suffix: string) {
  const at = '2026-11-20T19:29:00.000Z';
  return {
    transaction_id: `txn_TEST${suffix}`,
    partner_event_id: `event-${suffix}`,
    partner_order_ref: `order-${suffix}`,
    status,
    points: 250n,
    opaque_customer_ref: null,
    contribution_rule_version: 'default-1',
    point_conversion_version: 'default-1',
    tree_cost_version: 'default-1',
    expected_environmental_support: {
      summary_en: 'This contribution of 250 points is expected to support tree planting.',
      summary_ar: 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 250 نقطة، زراعة الأشجار.',
    },
    non_refundable: status === 'confirmed',
    environment: 'sandbox',
    created_at: at,
    confirmed_at: status === 'confirmed' ? at : null,
    failed_at: status === 'failed' ? at : null,
  };
}
