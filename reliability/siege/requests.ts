/** Requests of attackers, as text. */

let made = 0;

/** Never the same twice, in this process. */
export function freshName(prefix: string): string {
  return `${prefix}-${process.pid}-${Date.now().toString(36)}-${made++}`;
}

export interface Head {
  /** Without it there is no key. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function get(target: string, { apiKey, headers = {} }: Head = {}): string {
  return head(`GET ${target} HTTP/1.1`, { ...(apiKey !== undefined && { 'X-API-Key': apiKey }), ...headers });
}

/** The head of a POST under a new idempotency key, unless it is given one. */
export function postHead(target: string, { apiKey = '', headers = {} }: Head): string {
  const own = { 'X-API-Key': apiKey, 'Idempotency-Key': freshName('key'), 'Content-Type': 'application/json' };
  return head(`POST ${target} HTTP/1.1`, { ...own, ...headers });
}

export function post(target: string, body: string, { apiKey = '', headers = {} }: Head): string {
  return postHead(target, { apiKey, headers: { ...headers, 'Content-Length': `${body.length}` } }) + body;
}

function head(first: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: 'service', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${first}\r\n${lines.join('')}\r\n`;
}

/** One part of a body in chunks. */
export function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

export const CONTRIBUTIONS = '/v1/impact-transactions';

export function confirmation(event = freshName('attack')): string {
  return JSON.stringify({ partner_event_id: event, partner_order_ref: event, points: 1 });
}

/** The path that takes a partner's list. */
export function listsOf(settlementId: string): string {
  return `/v1/settlements/${settlementId}/reconciliations`;
}

export const LIST_HEAD = 'partner_event_id,partner_order_ref,points\n';
