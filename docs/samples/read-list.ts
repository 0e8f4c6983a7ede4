import { setTimeout as sleep } from 'node:timers/promises';

/** Every record of a list, page by page; integers are bigints, with all their digits. `name` is the member of the answer that has the records. */
export async function* readList(url: string, name: string, apiKey: string): AsyncGenerator<Record<string, unknown>> {
  // An error of `fetch` would show the key.
  if (!/^[!-~]*$/.test(apiKey)) throw new TypeError('apiKey is not a key: it has a line end, or a character that no key has');
  const address = new URL(url);
  for (let hasMore = true; hasMore; ) {
    const page = await readPage(address, apiKey);
    yield* page[name] as Record<string, unknown>[];
    hasMore = page.has_more;
    address.searchParams.set('after', page.next_after);
  }
}

/** Asks again while no answer comes in 30 s or the service asks to wait: ten requests at most. */
async function readPage(address: URL, apiKey: string): Promise<Page> {
  for (let requestsLeft = 9; ; requestsLeft--) {
    let [problem, isRetryable, pauseSeconds] = ['no_answer', true, 1];
    try {
      const init = { headers: { 'X-API-Key': apiKey }, redirect: 'error' } as const;
      const response = await fetch(address, { ...init, signal: AbortSignal.timeout(30_000) });
      problem = `no_answer: HTTP ${response.status}`;
      const page = parse(await response.text(), exact);
      if (response.ok) return page;
      const { code, message, retryable } = page.error;
      [problem, isRetryable] = [`${code}: ${message}`, retryable];
      pauseSeconds = Number(response.headers.get('Retry-After')) || 1;
    } catch (error) {
      if (problem === 'no_answer') problem += `: ${(error as Error).cause ?? error}`;
    }
    if (!isRetryable || requestsLeft === 0) throw new Error(problem);
    await sleep(pauseSeconds * 1000);
  }
}

const exact = (_name: string, value: unknown, { source }: { source: string }): unknown =>
  typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value;

/** Node 22 and later hand the source of a number to the function; the types of the compiler may not say so. */
const { parse } = JSON as unknown as { parse(text: string, read: typeof exact): Page };

interface Page {
  error: { code: string; message: string; retryable: boolean };
  has_more: boolean;
  next_after: string;
  [name: string]: unknown;
}
