import type { Attack } from '../attack.ts';
import { CONTRIBUTIONS, get } from '../requests.ts';

const QUERY = '?partner_event_id=event-of-nobody';
const TARGETS = [
  `${CONTRIBUTIONS.replace('impact', '%69mpact')}${QUERY}`,
  `http://service${CONTRIBUTIONS}${QUERY}`,
  `${CONTRIBUTIONS}/${QUERY}`,
  '/v1/%65vents',
  '/v1/%',
];

export const otherTargets: Attack = {
  name: 'other-targets',
  sends: 'look-ups whose target is encoded, or absolute, with a key, as fast as they are answered',
  connections: 64,
  async run({ attacker, connections, apiKey, random }) {
    await attacker.each(connections, async (connection) => {
      for (;;) await connection.ask(get(TARGETS[random.whole(0, TARGETS.length - 1)] as string, { apiKey }));
    });
  },
};
