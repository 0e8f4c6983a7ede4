import type { Attack } from '../../attack.ts';
import { chunk } from '../../requests.ts';
import { repeatList } from '../../send-lists.ts';

const PART_EVERY_MS = 200;
const PART = chunk('event-of-nobody,order-of-nobody,1\n');

export const uploadsEndless: Attack = {
  name: 'uploads-endless',
  sends: 'lists under a key that a list was taken under, a line every 200 ms, without an end',
  connections: 450,
  secondsMin: 12,
  settledContributions: 1,
  run: (target) =>
    repeatList(target, async (connection) => {
      for (;;) {
        await connection.send(PART);
        await target.attacker.rest(PART_EVERY_MS);
      }
    }),
};
