// biome-ignore lint/suspicious/noExplicitAny: an answer is read as the JSON that it is
type Json = any;

/**
 * What partners were told of each contribution. Who was told that it is confirmed must never be told that it failed, which would give the
 * points back; and it fails only where the sandbox was asked for that: of a pending one by its deadline or by an operator's part.
 */
export class ToldOutcomes {
  readonly #confirmed = new Set<string>();
  readonly #mayFail = new Set<string>();
  readonly #failed = new Set<string>();

  /**
   * @param mayFail Whether the request was an operator's part, or asked the sandbox for a failure.
   */
  add({ contribution, error }: Json, mayFail: boolean): void {
    const failedId = contribution?.status === 'failed' ? contribution.transaction_id : failedContribution(error);
    if (failedId !== undefined) this.#failed.add(failedId);
    if (failedId !== undefined && mayFail) this.#mayFail.add(failedId);
    if (contribution?.status === 'pending') this.#mayFail.add(contribution.transaction_id);
    if (contribution?.status === 'confirmed') this.#confirmed.add(contribution.transaction_id);
  }

  /** Answers arrive in any order, so that they are judged together. */
  problems(): string[] {
    const both = [...this.#failed.intersection(this.#confirmed)].map((id) => `${id} was told as confirmed and as failed`);
    const unasked = [...this.#failed.difference(this.#mayFail)].map((id) => `${id} failed, and nothing asked for it`);
    return [...both, ...unasked];
  }
}

/** The contribution of an error that tells of a failed one. */
export function failedContribution(error: Json): string | undefined {
  if (error?.code !== 'contribution_final_failure') return undefined;
  return error.details?.find(({ field }: Json) => field === 'transaction_id')?.code;
}
