import type { Attack } from '../attack.ts';
import { CONTRIBUTIONS, chunk, postHead } from '../requests.ts';

const CHUNKS = 10_000;
const PART = chunk('a').repeat(CHUNKS);
const CHUNKS_PER_SECOND = 2_000_000;

export const oneByteChunks: Attack = {
  name: 'one-byte-chunks',
  sends: 'confirmations without a key whose bodies arrive in chunks of a byte, without an end',
  connections: 16,
  async run({ attacker, connections }) {
    const turn = attacker.pace(CHUNKS_PER_SECOND / CHUNKS);
    await attacker.each(connections, async (connection) => {
      await connection.send(postHead(CONTRIBUTIONS, { headers: { 'Transfer-Encoding': 'chunked' } }), 1);
      for (;;) {
        await turn();
        await connection.send(PART);
      }
    });
  },
};
