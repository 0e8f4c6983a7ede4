import type { Attack } from '../attack.ts';
import { chunk, freshName, LIST_HEAD, listsOf, post, postHead } from '../requests.ts';

const PART = chunk('event-of-nobody,order-of-nobody,1\n'.repeat(2_000));

export const uploadWithoutSize: Attack = {
  name: 'upload-without-size',
  sends: 'lists under a key that a list was taken under, as fast as they are read, without an end',
  connections: 4,
  settledContributions: 1,
  async run({ attacker, connections, apiKey, settlementId }) {
    const headers = { 'Content-Type': 'text/csv', 'Idempotency-Key': freshName('list') };
    const list = `${LIST_HEAD}event-of-nobody,order-of-nobody,1\n`;
    await attacker.each(
      1,
      async (connection) => void (await connection.ask(post(listsOf(settlementId), list, { apiKey, headers }))),
      {
        isOnce: true,
      },
    );
    await attacker.each(connections, async (connection) => {
      await connection.send(
        postHead(listsOf(settlementId), { apiKey, headers: { ...headers, 'Transfer-Encoding': 'chunked' } }),
        1,
      );
      for (;;) await connection.send(PART);
    });
  },
};
