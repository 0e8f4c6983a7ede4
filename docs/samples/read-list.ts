import { setTimeout as sleep } from 'node:timers/promises';

/** Every record of a list, page by page. `name` is the member of the answer that has the records. */
export async function* readList(url: string, name: string, apiKey: string): AsyncGenerator<Record<string, unknown>> {
  const page = new URL(url);
  for (let hasMore = true; hasMore; ) {
    const response = await fetch(page, { headers: { 'X-API-Key': apiKey } });
    const body = JSON.parse(await response.text());
    if (body.error?.retryable) {
      await sleep(Number(response.headers.get('Retry-After') ?? 1) * 1000);
      continue;
    }
    if (body.error) throw new Error(`${body.error.code}: ${body.error.message}`);
    yield* body[name];
    hasMore = body.has_more;
    page.searchParams.set('after', body.next_after);
  }
}
