import type { Attack } from '../../attack.ts';
import { chunk, LIST_HEAD, listsOf, postHead } from '../../requests.ts';

const PART = chunk(`${LIST_HEAD}${'event-of-nobody,order-of-nobody,1\n'.repeat(20_000)}`);

export const listsAbandoned: Attack = {
  name: 'lists-abandoned',
  sends: 'the first 20,000 lines of a list, and leaves; ten times a second',
  connections: 4,
  settledContributions: 1,
  async run({ attacker, connections, apiKey, settlementId }) {
    const turn = attacker.pace(10);
    await attacker.each(connections, async (connection) => {
      await turn();
      const headers = { 'Content-Type': 'text/csv', 'Transfer-Encoding': 'chunked' };
      await connection.send(postHead(listsOf(settlementId), { apiKey, headers }), 1);
      await connection.send(PART);
    });
  },
};
