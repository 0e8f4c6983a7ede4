/** Whose record each identifier is: no answer may show a partner another one's. */
export class Owners {
  readonly #keyOf = new Map<string, string>();

  /**
   * Takes in an answer to a request under a key. Each key of a run belongs to a partner of its own, and whoever is told of a
   * record first has made it.
   *
   * @returns The identifiers in it that are another partner's.
   */
  add(body: unknown, apiKey: string): string[] {
    const foreign: string[] = [];
    for (const id of identifiersIn(body)) {
      const owner = this.#keyOf.get(id) ?? apiKey;
      this.#keyOf.set(id, owner);
      if (owner !== apiKey) foreign.push(id);
    }
    return foreign;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is read as the JSON that it is
function identifiersIn(body: any): string[] {
  const events = [body?.event, ...(body?.events ?? [])].filter((event) => event !== undefined);
  const told = events.flatMap((event) => [event.event_id, ...identifiersIn(event.data)]);
  const named = (body?.error?.details ?? []).filter(
    ({ field, code }: { field: string; code: string }) => field === 'transaction_id' && code.startsWith('txn_'),
  );
  const link = body?.association?.link;
  return [
    body?.contribution?.transaction_id,
    body?.estimate?.calculation_id,
    link?.association_id,
    link?.transaction_id,
    link?.calculation_id,
    ...told,
    ...named.map(({ code }: { code: string }) => code),
  ].filter((id) => id !== undefined);
}
