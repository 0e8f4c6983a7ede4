import type { Attack } from '../attack.ts';
import { CONTRIBUTIONS, confirmation, freshName, post } from '../requests.ts';

const AT_ONCE = 24;

export const sameEvent: Attack = {
  name: 'same-event',
  sends: 'twenty-four confirmations of one event at once, again and again, each under a key of its own',
  connections: AT_ONCE,
  async run({ attacker, connections, apiKey }) {
    const turn = attacker.pace(95);
    let sent = 0;
    let body = confirmation();
    await attacker.each(connections, async (connection) => {
      for (;;) {
        await turn();
        if (sent++ % AT_ONCE === 0) body = confirmation(freshName('contested'));
        await connection.ask(post(CONTRIBUTIONS, body, { apiKey }));
      }
    });
  },
};
