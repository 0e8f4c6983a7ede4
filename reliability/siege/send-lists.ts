import type { Target } from './attack.ts';
import type { AttackConnection } from './attack-connection.ts';
import { freshName, LIST_HEAD, listsOf, post, postHead } from './requests.ts';

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

/** First a list is taken under a key; then each connection sends a list without an end under the same key, parts as told. */
export async function repeatList(
  { attacker, connections, apiKey, settlementId }: Target,
  sendParts: (connection: AttackConnection) => Promise<void>,
): Promise<void> {
  const path = listsOf(settlementId);
  const headers = { 'Content-Type': 'text/csv', 'Idempotency-Key': freshName('list') };
  const first = post(path, `${LIST_HEAD}event-of-nobody,order-of-nobody,1\n`, { apiKey, headers });
  await attacker.each(1, async (connection) => void (await connection.ask(first)), { isOnce: true });
  const turn = attacker.pace(45);
  await attacker.each(connections, async (connection) => {
    await turn();
    await connection.send(postHead(path, { apiKey, headers: { ...headers, 'Transfer-Encoding': 'chunked' } }), 1);
    await sendParts(connection);
  });
}
