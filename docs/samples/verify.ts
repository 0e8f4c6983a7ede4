import { createHmac, timingSafeEqual } from 'node:crypto';

type Headers = Record<string, string | string[] | undefined>;

/** `headers` as Node gives them, names in lower case; `body` as it arrived. */
export function isFromService(secret: string, headers: Headers, body: Buffer, nowMs = Date.now()): boolean {
  const timestamp = String(headers['x-service-timestamp']);
  const ageSeconds = Math.floor(nowMs / 1000) - Number(timestamp);
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(ageSeconds) > 300) return false;
  const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const expected = Buffer.from(`v1=${hex}`);
  return ['x-service-signature', 'x-service-signature-next'].some((name) => {
    const received = Buffer.from(String(headers[name]));
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
}
