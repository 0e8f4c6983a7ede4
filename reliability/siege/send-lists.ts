import type { Target } from './attack.ts';
import { listsOf, post } from './requests.ts';

/** Lists one after the other on each connection, each under a key of its own. */
export async function sendLists(
  { attacker, connections, apiKey, settlementId }: Target,
  { type, list }: { readonly type: string; readonly list: string },
): Promise<void> {
  const turn = attacker.pace(20);
  await attacker.each(connections, async (connection) => {
    for (;;) {
      await turn();
      await connection.ask(post(listsOf(settlementId), list, { apiKey, headers: { 'Content-Type': type } }));
    }
  });
}
