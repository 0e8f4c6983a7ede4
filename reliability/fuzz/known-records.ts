/** What the main partner has, as it was acknowledged: a look-up must find it, and find it the same. */
import { isDeepStrictEqual } from 'node:util';
import type { Draft } from './draft.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer is read as the JSON that it is
type Json = any;

export class KnownRecords {
  /** By transaction id and by partner event id. */
  readonly #contributions = new Map<string, Json>();
  readonly #estimates = new Map<string, Json>();

  /** Takes in the answer to an own request. */
  add({ contribution, estimate }: Json): void {
    if (contribution) {
      this.#contributions.set(contribution.transaction_id, contribution);
      this.#contributions.set(contribution.partner_event_id, contribution);
    }
    if (estimate) this.#estimates.set(estimate.calculation_id, estimate);
  }

  /**
   * What a request without a fault names, of what is known when it is sent.
   *
   * @returns Tells of the answer what is wrong with it.
   */
  expect(draft: Draft): (status: number, body: Json) => string[] {
    if (draft.mutations.length > 0) return () => [];
    const [, transactionId] = /^\/v1\/impact-transactions\/([^/]+)/.exec(draft.path) ?? [];
    const [, calculationId] = /^\/v1\/emissions\/estimates\/([^/]+)/.exec(draft.path) ?? [];
    const partnerEventId = draft.query.find(([name]) => name === 'partner_event_id')?.[1];
    const contribution = this.#contributions.get(transactionId ?? partnerEventId ?? '');
    const estimate = this.#estimates.get(calculationId ?? linkedEstimateOf(draft));
    return (status, body) => {
      const code = body?.error?.code;
      if (contribution && code === 'contribution_not_found') return ['a contribution that was acknowledged is not found'];
      if (estimate && code === 'estimate_not_found') return ['an estimate that was acknowledged is not found'];
      if (draft.method !== 'GET' || status !== 200) return [];
      // A pending one may end meanwhile.
      const isFinal = contribution?.status === 'confirmed';
      return [
        ...(isFinal && isOther(body?.contribution, contribution) ? ['another contribution than was acknowledged'] : []),
        ...(isOther(body?.estimate, estimate) ? ['another estimate than was acknowledged'] : []),
      ];
    };
  }
}

/** Of an association: the estimate that its body names. */
function linkedEstimateOf({ operation, members = [] }: Draft): string {
  if (operation.operationId !== 'associateEmissionsEstimate') return '';
  return JSON.parse(members.find(([name]) => name === '"calculation_id"')?.[1] ?? '""');
}

function isOther(shown: Json, acknowledged: Json): boolean {
  return shown !== undefined && acknowledged !== undefined && !isDeepStrictEqual(shown, acknowledged);
}
