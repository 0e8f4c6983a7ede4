import { decode } from '../decode.ts';
import { BrokenAnswerError } from '../errors.ts';
import { type CallOptions, request } from './request.ts';
import type { Transport } from './transport.ts';

/**
 * Every record of a list, page by page. A page whose answer is lost is asked for again, so no record is skipped or given twice.
 *
 * @param path With its query; @param name the member of the answer that has the records.
 */
export async function* list<T>(transport: Transport, path: string, name: string, options?: CallOptions): AsyncGenerator<T, void> {
  const join = path.includes('?') ? '&' : '?';
  for (let after = '', hasMore = true; hasMore; ) {
    const page = after === '' ? path : `${path}${join}after=${encodeURIComponent(after)}`;
    const body = await request(transport, { path: page }, options);
    const { [name]: records, next_after: next, has_more: more } = body;
    if (!Array.isArray(records) || (more === true && typeof next !== 'string'))
      throw new BrokenAnswerError(200, `The answer to ${path} is no page of a list.`);
    for (const record of records) yield decode<T>(record, name.replace(/s$/, ''));
    hasMore = more === true;
    after = typeof next === 'string' ? next : '';
  }
}
