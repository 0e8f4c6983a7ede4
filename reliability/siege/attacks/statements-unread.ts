import type { Attack } from '../attack.ts';
import { get } from '../requests.ts';

const READ_EVERY_MS = 4_000;

export const statementsUnread: Attack = {
  name: 'statements-unread',
  sends: 'requests for a large statement, of which it reads a part every four seconds',
  connections: 40,
  settledContributions: 20_000,
  async run({ attacker, connections, apiKey, settlementId }) {
    const turn = attacker.pace(40);
    await attacker.each(connections, async (connection) => {
      await turn();
      await connection.send(get(`/v1/settlements/${settlementId}/statement.csv`, { apiKey }), 1);
      for (;;) {
        await attacker.rest(READ_EVERY_MS);
        await connection.send('');
        connection.readSome();
      }
    });
  },
};
