import type { Attack } from '../../attack.ts';
import { LIST_HEAD } from '../../requests.ts';
import { sendLists } from '../../send-lists.ts';

const LIST = `${LIST_HEAD}${'a\n'.repeat(100_000)}`;

export const malformedLines: Attack = {
  name: 'malformed-lines',
  sends: 'lists of a hundred thousand lines of one letter',
  connections: 2,
  settledContributions: 1,
  run: (target) => sendLists(target, { type: 'text/csv', list: LIST }),
};
