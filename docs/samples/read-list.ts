import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Every record of a list, page by page; integers are bigints, with all their digits. `name` is the member of the answer that has the records.
 * It fails when a page is refused, when no answer comes in 30 s, or when the service asks to wait for the tenth time in a row.
 */
export async function* readList(url: string, name: string, apiKey: string): AsyncGenerator<Record<string, unknown>> {
  const page = new URL(url);
  for (let [hasMore, waits] = [true, 0]; hasMore; ) {
    const response = await fetch(page, { headers: { 'X-API-Key': apiKey }, signal: AbortSignal.timeout(30_000) });
    const body = parse(await response.text(), exact);
    if (body.error?.retryable && ++waits < 10) {
      await sleep((Number(response.headers.get('Retry-After')) || 1) * 1000);
      continue;
    }
    if (body.error) throw new Error(`${body.error.code}: ${body.error.message}`);
    yield* body[name] as Record<string, unknown>[];
    [hasMore, waits] = [body.has_more, 0];
    page.searchParams.set('after', body.next_after);
  }
}

const exact = (_name: string, value: unknown, { source }: { source: string }): unknown =>
  typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value;

/** Node 22 and later hand the source of a number to the function; the types of the compiler may not say so. */
const { parse } = JSON as unknown as { parse(text: string, read: typeof exact): Page };

interface Page {
  error?: { code: string; message: string; retryable: boolean };
  has_more: boolean;
  next_after: string;
  [name: string]: unknown;
}
