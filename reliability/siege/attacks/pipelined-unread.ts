import type { Attack } from '../attack.ts';
import { CONTRIBUTIONS, get } from '../requests.ts';

const AT_ONCE = 500;
const REQUESTS = get(`${CONTRIBUTIONS}?partner_event_id=event-of-nobody`).repeat(AT_ONCE);

export const pipelinedUnread: Attack = {
  name: 'pipelined-unread',
  sends: 'look-ups without a key, one behind the other, whose answers it never reads',
  connections: 4,
  async run({ attacker, connections }) {
    await attacker.each(connections, async (connection) => {
      for (;;) await connection.send(REQUESTS, AT_ONCE);
    });
  },
};
