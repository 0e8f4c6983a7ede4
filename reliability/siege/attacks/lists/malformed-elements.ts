import type { Attack } from '../../attack.ts';
import { sendLists } from '../../send-lists.ts';

const LIST = `[${'{},'.repeat(300_000)}{}]`;

export const malformedElements: Attack = {
  name: 'malformed-elements',
  sends: 'lists in JSON of 300,000 elements without a member',
  connections: 2,
  settledContributions: 1,
  run: (target) => sendLists(target, { type: 'application/json', list: LIST }),
};
