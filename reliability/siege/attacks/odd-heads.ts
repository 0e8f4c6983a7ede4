import type { Attack } from '../attack.ts';
import { CONTRIBUTIONS } from '../requests.ts';

const HEADS = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  `GET ${CONTRIBUTIONS} HTTP/2.0\r\nHost: service\r\n\r\n`,
  `GET ${CONTRIBUTIONS} HTTP/1.1\r\nHost: one\r\nHost: other\r\n\r\n`,
  `POST ${CONTRIBUTIONS} HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'CONNECT service:443 HTTP/1.1\r\nHost: service\r\n\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: service\r\n\r\n`,
  '\u0000\u0001\u0002\r\n\r\n',
];

export const oddHeads: Attack = {
  name: 'odd-heads',
  sends: 'heads that are not well formed, or of other versions of HTTP, as fast as they are answered',
  connections: 32,
  async run({ attacker, connections, random }) {
    await attacker.each(connections, async (connection) => {
      await connection.ask(HEADS[random.whole(0, HEADS.length - 1)] as string);
    });
  },
};
