import type { Attack } from '../../attack.ts';
import { chunk, LIST_HEAD, listsOf, postHead } from '../../requests.ts';

/** Within this a revocation holds everywhere, for what began before as well. */
const REVOKED_WITHIN_MS = 10_000;
const PART_EVERY_MS = 500;

export const revokedUploads: Attack = {
  name: 'revoked-uploads',
  sends: 'lists a line at a time under a key that is revoked meanwhile',
  connections: 8,
  settledContributions: 1,
  secondsMin: 13,
  async run({ attacker, connections, apiKey, settlementId, revokeKey, report }) {
    const uploading = attacker.each(
      connections,
      async (connection) => {
        const headers = { 'Content-Type': 'text/csv', 'Transfer-Encoding': 'chunked' };
        await connection.send(postHead(listsOf(settlementId), { apiKey, headers }) + chunk(LIST_HEAD), 1);
        for (;;) {
          await attacker.rest(PART_EVERY_MS);
          await connection.send(chunk('event-of-nobody,order-of-nobody,1\n'));
        }
      },
      { isOnce: true },
    );
    await revokeKey();
    await attacker.rest(REVOKED_WITHIN_MS + PART_EVERY_MS);
    if (!attacker.signal.aborted && attacker.open > 0) report(`${attacker.open} uploads go on 10 s after their key was revoked`);
    await uploading;
  },
};
