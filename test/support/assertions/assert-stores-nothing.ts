import assert from 'node:assert/strict';
import type { Database } from '../../../src/store/database.ts';
import { countRows } from '../records.ts';

/** Whatever is sent stores nothing for these partners: a refusal leaves all as it was. */
export async function assertStoresNothing(
  database: Database,
  partnerIds: readonly string[],
  send: () => Promise<unknown>,
): Promise<void> {
  const count = () => Promise.all(partnerIds.map((partnerId) => countRows(database, partnerId)));
  const before = await count();
  await send();
  assert.deepEqual(await count(), before);
}
