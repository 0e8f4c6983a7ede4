import { newApiKey } from '../../../src/domain/access/api-key.ts';
import type { Attack } from '../attack.ts';
import { CONTRIBUTIONS, get } from '../requests.ts';

export const unknownKeys: Attack = {
  name: 'unknown-keys',
  sends: 'look-ups with keys that nobody was given and whose checksum is right, as fast as they are answered',
  connections: 32,
  async run({ attacker, connections }) {
    await attacker.each(connections, async (connection) => {
      for (;;) {
        const { apiKey } = newApiKey('sandbox');
        await connection.ask(get(`${CONTRIBUTIONS}?partner_event_id=event-of-nobody`, { apiKey }));
      }
    });
  },
};
