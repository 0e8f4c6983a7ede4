import type { Attack } from '../attack.ts';
import { chunk, freshName, LIST_HEAD, listsOf, post, postHead } from '../requests.ts';

const PART_EVERY_MS = 200;
const PART = chunk('event-of-nobody,order-of-nobody,1\n');

export const uploadsEndless: Attack = {
  name: 'uploads-endless',
  sends: 'lists under a key that a list was taken under, a line every 200 ms, without an end',
  connections: 450,
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
    const turn = attacker.pace(45);
    await attacker.each(connections, async (connection) => {
      await turn();
      await connection.send(
        postHead(listsOf(settlementId), { apiKey, headers: { ...headers, 'Transfer-Encoding': 'chunked' } }),
        1,
      );
      for (;;) {
        await connection.send(PART);
        await attacker.rest(PART_EVERY_MS);
      }
    });
  },
};
