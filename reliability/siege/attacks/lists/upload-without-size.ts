import type { Attack } from '../../attack.ts';
import { chunk } from '../../requests.ts';
import { repeatList } from '../../send-lists.ts';

const PART = chunk('event-of-nobody,order-of-nobody,1\n'.repeat(2_000));

export const uploadWithoutSize: Attack = {
  name: 'upload-without-size',
  sends: 'lists under a key that a list was taken under, as fast as they are read, without an end',
  connections: 4,
  settledContributions: 1,
  run: (target) =>
    repeatList(target, async (connection) => {
      for (;;) await connection.send(PART);
    }),
};
