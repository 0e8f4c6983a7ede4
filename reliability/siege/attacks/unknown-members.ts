import type { Attack } from '../attack.ts';
import { CONTRIBUTIONS, post } from '../requests.ts';

const MEMBERS = 8_000;
const BODY = `{${Array.from({ length: MEMBERS }, (_, number) => `"${number.toString(36)}":1`).join(',')}}`;

export const unknownMembers: Attack = {
  name: 'unknown-members',
  sends: 'confirmations of 8,000 members that nobody knows, within its rate',
  connections: 16,
  async run({ attacker, connections, apiKey }) {
    const turn = attacker.pace(95);
    await attacker.each(connections, async (connection) => {
      for (;;) {
        await turn();
        await connection.ask(post(CONTRIBUTIONS, BODY, { apiKey }));
      }
    });
  },
};
