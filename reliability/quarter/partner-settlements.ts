import { parseExactly } from '../harness/call.ts';
import { PARTNERS } from './calendar.ts';
import type { PartnerClient } from './partner-client.ts';

export interface VersionTotals {
  readonly contribution_rule_version: string;
  readonly point_conversion_version: string;
  readonly tree_cost_version: string;
  readonly count: bigint;
  readonly points: bigint;
  readonly amount: string | null;
}

/** A settlement as its partner reads it. */
export interface PartnerSettlement {
  readonly settlement_id: string;
  readonly sequence: bigint;
  readonly status: 'open' | 'closed';
  readonly period_start: string;
  readonly period_end: string;
  readonly period_label: string;
  readonly contribution_count: bigint;
  readonly adjustment_count: bigint;
  readonly gross_points: bigint;
  readonly adjustment_points: bigint;
  readonly carried_in_points: bigint;
  readonly net_points: bigint;
  readonly payable_points: bigint;
  readonly carried_out_points: bigint;
  readonly carried_in_amount: string | null;
  readonly net_amount: string | null;
  readonly payable_amount: string | null;
  readonly carried_out_amount: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly totals_by_version: readonly VersionTotals[];
  readonly closed_at: string | null;
  readonly statement: {
    readonly csv_sha256: string;
    readonly line_count: bigint;
    readonly previous_csv_sha256: string | null;
  } | null;
}

interface Page {
  readonly settlements: readonly PartnerSettlement[];
  readonly next_after: string;
  readonly has_more: boolean;
}

/** All settlements of a partner, the first one first. */
export async function listPartnerSettlements(client: PartnerClient, apiKey: string): Promise<PartnerSettlement[]> {
  const found: PartnerSettlement[] = [];
  for (let after = '', hasMore = true; hasMore; ) {
    const path = `/v1/settlements?limit=5${after && `&after=${after}`}`;
    const { status, bytes } = await client.call({ apiKey, path });
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${bytes.toString().slice(0, 500)}`);
    const page = parseExactly<Page>(bytes);
    found.unshift(...page.settlements.toReversed());
    ({ next_after: after, has_more: hasMore } = page);
  }
  return found;
}

/** By partner, where its last closed settlement ends; its beginning where none is closed. */
export async function readSettledUntil(client: PartnerClient, apiKeys: readonly string[]): Promise<number[]> {
  return Promise.all(
    PARTNERS.map(async (_partner, index) => {
      const path = '/v1/settlements?limit=1';
      const { status, bytes } = await client.call({ apiKey: apiKeys[index] as string, path });
      if (status !== 200) throw new Error(`${path} was answered ${status}: ${bytes.toString().slice(0, 500)}`);
      return Date.parse(parseExactly<Page>(bytes).settlements[0]?.period_start as string);
    }),
  );
}
