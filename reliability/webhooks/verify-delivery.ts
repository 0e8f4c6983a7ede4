/**
 * What a strict receiver demands of a delivery, written from the interface alone: nothing of the service's own signing or
 * verifying is used here, so that one mistake cannot hide behind the other.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** The envelope; `sequence` and times as far as a receiver needs them. */
export interface Envelope {
  readonly event_id: string;
  readonly event_type: string;
  /** Never beyond 2^53 here. */
  readonly sequence: number | null;
  readonly occurred_at: string;
  readonly data: { readonly challenge?: string };
}

export interface Received {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** As it arrived. */
  readonly body: Buffer;
  readonly atMs: number;
}

export interface Finding {
  readonly envelope: Envelope | undefined;
  /** What is wrong, in words; `undefined` when nothing is. */
  readonly defect: string | undefined;
}

const TOLERANCE_SECONDS = 300;
/** Every attempt is signed anew, and none takes longer than 5 s to connect and 15 s for its answer. */
const SIGNED_WITHIN_SECONDS = 30;
const MEMBERS = 'event_id event_type api_version environment sequence occurred_at correlation_id data';

/** Judges one delivery. The first thing that is wrong counts: a body with a wrong signature is not read. */
export function verifyDelivery(secret: string, received: Received): Finding {
  const defect = findUnsigned(secret, received);
  if (defect !== undefined) return { envelope: undefined, defect };
  const envelope = parse(received.body);
  return { envelope, defect: envelope ? findUnfit(envelope, received.headers) : 'the body is not JSON in UTF-8' };
}

function findUnsigned(secret: string, { method, headers, body, atMs }: Received): string | undefined {
  const { 'x-service-timestamp': timestamp, 'x-service-signature': signature } = headers;
  if (method !== 'POST') return `the method is ${method}`;
  if (typeof timestamp !== 'string' || !/^\d+$/.test(timestamp)) return `the timestamp is ${timestamp}`;
  const ageSeconds = Math.floor(atMs / 1_000) - Number(timestamp);
  if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) return `the timestamp is ${ageSeconds} s old`;
  if (ageSeconds > SIGNED_WITHIN_SECONDS) return `the attempt was not signed anew: its timestamp is ${ageSeconds} s old`;
  if (typeof signature !== 'string' || !/^v1=[0-9a-f]{64}$/.test(signature)) return `the signature has the form ${signature}`;
  const expected = createHmac('sha256', secret).update(timestamp).update('.').update(body).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature.slice(3), 'hex'))) return 'the signature is not that of the body';
  return findUnsignedByStandard(secret, headers, body);
}

/** By the published verifier. */
function findUnsignedByStandard(secret: string, headers: IncomingHttpHeaders, body: Buffer): string | undefined {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return undefined;
  } catch (error) {
    return `Standard Webhooks refuses it: ${(error as Error).message}`;
  }
}

function parse(body: Buffer): Envelope | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** The unsigned headers repeat what the body says. */
function findUnfit(envelope: Envelope, headers: IncomingHttpHeaders): string | undefined {
  if (Object.keys(envelope).join(' ') !== MEMBERS) return `the envelope has the members ${Object.keys(envelope).join(' ')}`;
  const {
    event_id: eventId,
    event_type: eventType,
    correlation_id: correlationId,
  } = envelope as Envelope & Record<string, unknown>;
  const wanted: Readonly<Record<string, unknown>> = {
    'x-service-event-id': eventId,
    'webhook-id': eventId,
    'x-service-event-type': eventType,
    'x-correlation-id': correlationId,
    'webhook-timestamp': headers['x-service-timestamp'],
  };
  for (const [name, value] of Object.entries(wanted))
    if (headers[name] !== value) return `${name} is ${headers[name]} and should be ${value}`;
  if (!/^[1-9]\d{0,3}$/.test(String(headers['x-service-attempt']))) return `the attempt is ${headers['x-service-attempt']}`;
  if (!headers['content-type']?.startsWith('application/json')) return `the media type is ${headers['content-type']}`;
  return undefined;
}
