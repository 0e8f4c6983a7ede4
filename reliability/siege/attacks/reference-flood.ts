import type { Attack } from '../attack.ts';
import { get } from '../requests.ts';

const PER_SECOND = 30;
/** The first is there no more; a service of before spends the most time on it. */
const FILES = ['openapi.yaml', 'openapi.json', 'scalar.js', 'search.json', 'partner-guide'];

export const referenceFlood: Attack = {
  name: 'reference-flood',
  sends: 'requests for the largest files of the reference, thirty a second, uncompressed',
  connections: 30,
  async run({ attacker, connections }) {
    const turn = attacker.pace(PER_SECOND);
    let asked = 0;
    await attacker.each(connections, async (connection) => {
      for (;;) {
        await turn();
        await connection.ask(get(`/docs/${FILES[asked++ % FILES.length]}`));
      }
    });
  },
};
