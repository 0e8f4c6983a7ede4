import { LIST_LIMITS, type ListLimits } from './list-limits.ts';
import { type ListEntry, type ListReading, listTooLarge } from './partner-list.ts';
import { readCsvList } from './read-csv-list.ts';
import { readJsonList } from './read-json-list.ts';

/** The formats of a partner's list, and their media types. */
export const LIST_FORMATS = { csv: 'text/csv', json: 'application/json' } as const;

export type ListFormat = keyof typeof LIST_FORMATS;

/**
 * Reads the lines of a partner's list, in order, as the bytes arrive. Memory does not grow with the list.
 *
 * @throws ServiceError `invalid_request`: what {@link readCsvList} and {@link readJsonList} refuse, and 413 for a list with too many
 * bytes. The caller must discard the lines that were read before.
 * @see docs/spec/settlements.md#2-settlement, Reconciliation: up to 1 000 000 lines or 100 MiB, as a stream.
 */
export function readPartnerList(
  chunks: AsyncIterable<Uint8Array>,
  format: ListFormat,
  reading: ListReading = LIST_LIMITS,
): AsyncGenerator<ListEntry> {
  const bounded = limitBytes(chunks, reading);
  return format === 'csv' ? readCsvList(bounded, reading) : readJsonList(bounded, reading);
}

/**
 * @throws ServiceError `invalid_request`: 413 for a list with too many bytes.
 */
export async function* limitBytes(chunks: AsyncIterable<Uint8Array>, { bytes }: ListLimits): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of chunks) {
    count += chunk.byteLength;
    if (count > bytes) throw listTooLarge('too_many_bytes', `${bytes} bytes`);
    yield chunk;
  }
}
