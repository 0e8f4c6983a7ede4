import type { Attack } from '../attack.ts';
import { CONTRIBUTIONS, postHead } from '../requests.ts';

const HEADS_PER_SECOND = 95;

export const bodiesMissing: Attack = {
  name: 'bodies-missing',
  sends: 'heads of confirmations with a key and within its rate, without their bodies',
  connections: 700,
  secondsMin: 12,
  async run({ attacker, connections, apiKey }) {
    const turn = attacker.pace(HEADS_PER_SECOND);
    await attacker.each(connections, async (connection) => {
      await turn();
      await connection.send(postHead(CONTRIBUTIONS, { apiKey, headers: { 'Content-Length': '100' } }), 1);
      await connection.untilClosed();
    });
  },
};
