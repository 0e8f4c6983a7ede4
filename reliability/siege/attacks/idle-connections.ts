import type { Attack } from '../attack.ts';
import { get } from '../requests.ts';

export const idleConnections: Attack = {
  name: 'idle-connections',
  sends: 'one request without a key on each of thousands of connections, and then nothing',
  connections: 5_000,
  async run({ attacker, connections }) {
    const turn = attacker.pace(2_000);
    await attacker.each(connections, async (connection) => {
      await turn();
      await connection.ask(get('/v1/events'));
      await connection.untilClosed();
    });
  },
};
