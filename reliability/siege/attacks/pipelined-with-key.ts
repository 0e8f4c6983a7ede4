import type { Attack } from '../attack.ts';
import { CONTRIBUTIONS, get } from '../requests.ts';

const AT_ONCE = 10;
const LOOKUPS_PER_SECOND = 190;

export const pipelinedWithKey: Attack = {
  name: 'pipelined-with-key',
  sends: 'look-ups with a key and within its rate, ten behind each other, whose answers it never reads',
  connections: 200,
  async run({ attacker, connections, apiKey }) {
    const requests = get(`${CONTRIBUTIONS}?partner_event_id=event-of-nobody`, { apiKey }).repeat(AT_ONCE);
    const turn = attacker.pace(LOOKUPS_PER_SECOND / AT_ONCE);
    await attacker.each(connections, async (connection) => {
      for (;;) {
        await turn();
        await connection.send(requests, AT_ONCE);
      }
    });
  },
};
