import type { Attack } from '../attack.ts';
import { get } from '../requests.ts';

const READ_EVERY_MS = 4_000;

export const referenceUnread: Attack = {
  name: 'reference-unread',
  sends: 'requests for the largest file of the reference, of which it reads a part every four seconds',
  connections: 660,
  async run({ attacker, connections }) {
    const turn = attacker.pace(200);
    await attacker.each(connections, async (connection) => {
      await turn();
      await connection.send(get('/docs/scalar.js'), 1);
      for (;;) {
        await attacker.rest(READ_EVERY_MS);
        await connection.send('');
        connection.readSome();
      }
    });
  },
};
