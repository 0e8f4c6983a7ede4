import type { Attack } from '../../attack.ts';
import { LIST_HEAD } from '../../requests.ts';
import { sendLists } from '../../send-lists.ts';

const LIST = `${LIST_HEAD}${'\n'.repeat(1_000_000)}`;

export const blankLines: Attack = {
  name: 'blank-lines',
  sends: 'lists of a million blank lines',
  connections: 2,
  settledContributions: 1,
  run: (target) => sendLists(target, { type: 'text/csv', list: LIST }),
};
