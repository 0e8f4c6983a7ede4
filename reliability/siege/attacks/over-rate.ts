import type { Attack } from '../attack.ts';
import { CONTRIBUTIONS, confirmation, post } from '../requests.ts';

export const overRate: Attack = {
  name: 'over-rate',
  sends: 'confirmations with a key, as fast as they are answered',
  connections: 64,
  async run({ attacker, connections, apiKey }) {
    await attacker.each(connections, async (connection) => {
      for (;;) await connection.ask(post(CONTRIBUTIONS, confirmation(), { apiKey }));
    });
  },
};
