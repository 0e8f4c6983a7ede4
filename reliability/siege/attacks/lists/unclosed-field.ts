import type { Attack } from '../../attack.ts';
import { LIST_HEAD } from '../../requests.ts';
import { sendLists } from '../../send-lists.ts';

const LIST = `${LIST_HEAD}"${'a'.repeat(4_000_000)}`;

export const unclosedField: Attack = {
  name: 'unclosed-field',
  sends: 'lists in CSV whose first field has no end, of four megabytes',
  connections: 2,
  settledContributions: 1,
  run: (target) => sendLists(target, { type: 'text/csv', list: LIST }),
};
