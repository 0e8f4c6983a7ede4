import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { PARTNERS } from './calendar.ts';
import { listWrongAmounts } from './check-figures.ts';
import { billedText, readMoney } from './money.ts';
import type { PartnerClient } from './partner-client.ts';
import type { Entry, PartnerRecords, PostedAdjustment } from './partner-records.ts';
import { listPartnerSettlements, type PartnerSettlement, type VersionTotals } from './partner-settlements.ts';
import { slack } from './writers.ts';

type Report = (violation: string, kind?: string) => void;

export interface StatementsOptions {
  readonly client: PartnerClient;
  readonly partnerRecords: PartnerRecords;
  readonly apiKeys: readonly string[];
  /** By partner, how many settlements there must be, the open one included. */
  readonly expected: readonly number[];
  readonly report: Report;
}

export interface Served {
  readonly partner: number;
  readonly settlement: PartnerSettlement;
  readonly bytes: Buffer;
}

/** What a partner's books come to: in points, and in what is billed. */
export interface Books {
  readonly partner: string;
  readonly settlements: number;
  readonly lines: number;
  readonly late: number;
  readonly carried: number;
  readonly confirmed: bigint;
  readonly adjusted: bigint;
  readonly settled: bigint;
  readonly open: bigint;
}

/** Compares everything that the partners' servers were told with everything that the service settled. */
export async function checkStatements(options: StatementsOptions): Promise<{ served: Served[]; books: Books[] }> {
  const served: Served[] = [];
  const books: Books[] = [];
  for (const partner of PARTNERS.keys()) {
    const apiKey = options.apiKeys[partner] as string;
    const settlements = await listPartnerSettlements(options.client, apiKey);
    checkSequence(settlements, { partner, count: options.expected[partner] as number, report: options.report });
    const pages: Served[] = [];
    for (const settlement of settlements.slice(0, -1))
      pages.push({ partner, settlement, bytes: await fetchStatement(options, apiKey, settlement) });
    served.push(...pages);
    books.push(new PartnerBooks(options, partner).check(pages, settlements.at(-1) as PartnerSettlement));
  }
  return { served, books };
}

/** A statement as it is served; what it says of itself in its head must be so. */
export async function fetchStatement(
  { client, report }: Pick<StatementsOptions, 'client' | 'report'>,
  apiKey: string,
  { settlement_id, statement }: PartnerSettlement,
  process?: number,
): Promise<Buffer> {
  const path = `/v1/settlements/${settlement_id}/statement.csv`;
  const { status, headers, bytes } = await client.call({ apiKey, path, ...(process !== undefined && { process }) });
  const sha256 = createHash('sha256').update(bytes).digest();
  const isSame =
    status === 200 &&
    sha256.toString('hex') === statement?.csv_sha256 &&
    headers['repr-digest'] === `sha-256=:${sha256.toString('base64')}:` &&
    headers['content-length'] === String(bytes.length);
  if (!isSame) report(`${path} was answered ${status} with bytes of the SHA-256 ${sha256.toString('hex')}`, 'bytes');
  return bytes;
}

function checkSequence(
  settlements: readonly PartnerSettlement[],
  { partner, count, report }: { partner: number; count: number; report: Report },
): void {
  const name = PARTNERS[partner]?.name;
  if (settlements.length !== count) report(`${name} has ${settlements.length} settlements instead of ${count}`);
  const ends = new Set(settlements.map(({ period_end }) => Date.parse(period_end)));
  for (const end of PARTNERS[partner]?.monthEnds ?? [])
    if (!ends.has(end)) report(`no settlement of ${name} ends with its month`);
  for (const [index, each] of settlements.entries()) {
    const previous = settlements[index - 1];
    const isLast = index === settlements.length - 1;
    const isInOrder =
      each.sequence === BigInt(index + 1) &&
      each.status === (isLast ? 'open' : 'closed') &&
      (each.statement === null) === isLast &&
      (!previous || previous.period_end === each.period_start) &&
      (isLast || each.statement?.previous_csv_sha256 === (previous?.statement?.csv_sha256 ?? null));
    if (!isInOrder)
      report(`the settlement ${each.settlement_id} (${each.period_label}) of ${name} does not follow the one before it`, 'chain');
  }
}

type Line = Readonly<Record<string, string>>;

interface Sums {
  contributions: bigint;
  adjustments: bigint;
  gross: bigint;
  adjusted: bigint;
  carried: bigint;
  amount: bigint | null;
  readonly versions: Map<string, { count: bigint; points: bigint; amount: bigint | null }>;
}

/** The books of one partner, line by line. */
class PartnerBooks {
  readonly #records: PartnerRecords;
  readonly #report: Report;
  readonly #partner: number;
  readonly #seen = new Map<Entry | PostedAdjustment, string>();
  readonly #counts = { lines: 0, late: 0, carried: 0 };

  constructor({ partnerRecords, report }: StatementsOptions, partner: number) {
    this.#records = partnerRecords;
    this.#partner = partner;
    this.#report = (violation, kind) => report(`${PARTNERS[partner]?.name}: ${violation}`, kind);
  }

  check(served: readonly Served[], open: PartnerSettlement): Books {
    let settled = 0n;
    let billed = 0n;
    let owed: Pick<Sums, 'carried' | 'amount'> | undefined;
    for (const { settlement, bytes } of served) {
      const sums = this.#readLines(settlement, parse(bytes, { columns: true }) as Line[], owed);
      this.#compare(settlement, sums);
      settled += sums.gross + sums.adjusted;
      const net = sums.gross + sums.adjusted + sums.carried;
      billed += net > 0n ? net : 0n;
      owed = carriedFrom(net, sums.amount);
    }
    const left = this.#sumUnsettled(owed);
    this.#compare(open, left);
    const { contributions: confirmed, adjustments: adjusted } = this.#records.pointsOf(this.#partner);
    const openPoints = open.gross_points + open.adjustment_points;
    if (confirmed + adjusted !== settled + openPoints)
      this.#report(`${confirmed + adjusted} points are confirmed, ${settled} settled and ${openPoints} open`);
    const toBill = open.payable_points + open.carried_out_points;
    if (confirmed + adjusted !== billed + toBill)
      this.#report(`${confirmed + adjusted} points are confirmed, ${billed} billed, and ${toBill} to be billed`);
    for (const wrong of listWrongAmounts([...served.map(({ settlement }) => settlement), open])) this.#report(wrong, 'figures');
    const name = PARTNERS[this.#partner]?.name as string;
    return { partner: name, settlements: served.length, ...this.#counts, confirmed, adjusted, settled, open: openPoints };
  }

  #readLines(settlement: PartnerSettlement, lines: readonly Line[], owed: Pick<Sums, 'carried' | 'amount'> | undefined): Sums {
    const sums = noSums();
    const isCarried = lines[0]?.['line_type'] === 'carried_forward';
    if (isCarried !== (owed !== undefined))
      this.#report(`${settlement.period_label} does not begin with what was carried forward`);
    for (const [index, line] of lines.entries()) {
      this.#counts.lines++;
      const type = line['line_type'];
      if (line['line_no'] !== String(index + 1)) this.#report(`line ${index + 1} has the number ${line['line_no']}`, 'number');
      if (type === 'contribution') this.#checkContribution(settlement, line, sums);
      else if (type === 'adjustment') this.#checkAdjustment(settlement, line, sums);
      else if (index === 0 && owed) this.#checkCarried(line, owed, sums);
      else this.#report(`${settlement.period_label} has a line that nobody knows: ${JSON.stringify(line)}`, 'unknown line');
    }
    return sums;
  }

  #checkContribution(settlement: PartnerSettlement, line: Line, sums: Sums): void {
    const entry = this.#records.byTransaction.get(line['transaction_id'] as string);
    if (entry?.partner !== this.#partner || entry.state !== 'confirmed' || !entry.confirmed)
      return void this.#report(`${line['transaction_id']} is settled, and is ${entry?.state ?? 'unknown'}`, 'not confirmed');
    const amount = this.#records.amountOf(entry);
    this.#expect(line, {
      ...labelCells(entry),
      partner_event_id: entry.eventId,
      partner_order_ref: entry.orderRef,
      points: String(entry.points),
      calculation_id: entry.calculationId ?? '',
      association_status: entry.calculationId === null ? 'not_requested' : 'associated',
      adjustment_id: '',
      posted_at_utc: '',
      original_settlement_id: '',
      currency: amount === null ? '' : (PARTNERS[this.#partner]?.currency as string),
    });
    this.#expectAmount(line, amount);
    this.#expectTime(line['confirmed_at_utc'] as string, entry.confirmed, settlement);
    const isLate = Date.parse(line['confirmed_at_utc'] as string) < Date.parse(settlement.period_start);
    if ((line['reason_code'] === 'late') !== isLate)
      this.#report(`${entry.transactionId} has the reason ${line['reason_code']}`, 'late');
    if (isLate) this.#counts.late++;
    this.#see(entry, settlement, entry.transactionId);
    sums.contributions++;
    sums.gross += entry.points;
    addToVersion(sums, line, { count: 1n, points: entry.points, amount });
  }

  #checkAdjustment(settlement: PartnerSettlement, line: Line, sums: Sums): void {
    const adjustment = this.#records.adjustments.get(line['adjustment_id'] as string);
    if (adjustment?.entry.partner !== this.#partner)
      return void this.#report(`the adjustment ${line['adjustment_id']} was never posted`, 'unknown adjustment');
    const { entry, pointsDelta, reasonCode } = adjustment;
    const amount = this.#records.amountOfAdjustment(adjustment);
    this.#expect(line, {
      ...labelCells(entry),
      transaction_id: entry.transactionId,
      partner_event_id: entry.eventId,
      partner_order_ref: entry.orderRef,
      points: String(pointsDelta),
      reason_code: reasonCode,
      original_settlement_id: this.#seen.get(entry) ?? 'none',
      currency: amount === null ? '' : (PARTNERS[this.#partner]?.currency as string),
    });
    this.#expectAmount(line, amount);
    this.#expectTime(line['posted_at_utc'] as string, adjustment.posted, settlement);
    this.#see(adjustment, settlement, adjustment.adjustmentId);
    sums.adjustments++;
    sums.adjusted += pointsDelta;
    addToVersion(sums, line, { count: 0n, points: pointsDelta, amount });
  }

  #checkCarried(line: Line, owed: Pick<Sums, 'carried' | 'amount'>, sums: Sums): void {
    this.#counts.carried++;
    this.#expect(line, { points: String(owed.carried), transaction_id: '', adjustment_id: '' });
    this.#expectAmount(line, owed.amount);
    sums.carried = owed.carried;
    sums.amount = addAmount(sums.amount, owed.amount);
  }

  #expect(line: Line, cells: Line): void {
    for (const [column, expected] of Object.entries(cells))
      if (line[column] !== expected)
        this.#report(`line ${line['line_no']} has ${column} "${line[column]}" instead of "${expected}"`, column);
  }

  #expectAmount(line: Line, expected: bigint | null): void {
    const cell = line['amount'] as string;
    if ((cell === '' ? null : readMoney(cell)) !== expected)
      this.#report(`line ${line['line_no']} has the amount "${cell}"`, 'amount');
  }

  #expectTime(cell: string, span: Entry['sent'], { period_end, period_label }: PartnerSettlement): void {
    const time = Date.parse(cell);
    const { from, to } = slack(span);
    if (!(time >= from && time <= to))
      this.#report(`${cell} is not when it happened: ${new Date(from).toISOString()} and after`, 'time');
    if (!(time < Date.parse(period_end))) this.#report(`${cell} is on ${period_label}, which ends before`, 'period');
  }

  #see(record: Entry | PostedAdjustment, { settlement_id }: PartnerSettlement, id: string): void {
    const other = this.#seen.get(record);
    if (other !== undefined) this.#report(`${id} is on ${other} and on ${settlement_id}`, 'settled twice');
    this.#seen.set(record, settlement_id);
  }

  /** What the open settlement must come to. */
  #sumUnsettled(owed: Pick<Sums, 'carried' | 'amount'> | undefined): Sums {
    const sums = noSums();
    if (owed) Object.assign(sums, owed);
    for (const entry of this.#records.entries) {
      if (entry.partner !== this.#partner || entry.state !== 'confirmed' || this.#seen.has(entry)) continue;
      sums.contributions++;
      sums.gross += entry.points;
      addToVersion(sums, labelCells(entry), { count: 1n, points: entry.points, amount: this.#records.amountOf(entry) });
    }
    for (const adjustment of this.#records.adjustments.values()) {
      const { entry, pointsDelta: points } = adjustment;
      if (entry.partner !== this.#partner || this.#seen.has(adjustment)) continue;
      sums.adjustments++;
      sums.adjusted += points;
      addToVersion(sums, labelCells(entry), { count: 0n, points, amount: this.#records.amountOfAdjustment(adjustment) });
    }
    return sums;
  }

  #compare(settlement: PartnerSettlement, sums: Sums): void {
    const { currency = null, minorUnits = 0 } = PARTNERS[this.#partner] ?? {};
    const isEmpty = sums.contributions === 0n && sums.adjustments === 0n && sums.carried === 0n;
    const amount = sums.amount ?? (isEmpty ? 0n : null);
    const total = sums.gross + sums.adjusted + sums.carried;
    const expected = {
      contribution_count: sums.contributions,
      adjustment_count: sums.adjustments,
      gross_points: sums.gross,
      adjustment_points: sums.adjusted,
      net_points: sums.gross + sums.adjusted,
      carried_in_points: sums.carried,
      payable_points: total > 0n ? total : 0n,
      carried_out_points: total < 0n ? total : 0n,
      amount: currency === null || amount === null ? null : billedText(amount, minorUnits),
      currency,
    };
    for (const [field, value] of Object.entries(expected)) {
      const told = settlement[field as keyof typeof expected];
      if (told !== value)
        this.#report(
          `${settlement.status} ${settlement.period_label} has ${field} ${told} instead of ${value}`,
          `total ${field}`,
        );
    }
    const told = settlement.totals_by_version.map((each) => versionText(each)).sort();
    const reckoned = [...sums.versions]
      .map(([labels, each]) => `${labels}: ${each.count}, ${each.points}, ${each.amount}`)
      .sort();
    if (told.join('\n') !== reckoned.join('\n'))
      this.#report(`${settlement.period_label} has by version ${told.join('; ')} instead of ${reckoned.join('; ')}`, 'versions');
    const lines = sums.contributions + sums.adjustments + (this.#hasCarried(sums) ? 1n : 0n);
    if (settlement.statement && settlement.statement.line_count !== lines)
      this.#report(`${settlement.period_label} has not ${lines} lines`);
  }

  #hasCarried({ carried, amount, versions }: Sums): boolean {
    const ofVersions = [...versions.values()].reduce<bigint | null>((sum, each) => addAmount(sum, each.amount), null);
    return carried !== 0n || amount !== ofVersions;
  }
}

function noSums(): Sums {
  return { contributions: 0n, adjustments: 0n, gross: 0n, adjusted: 0n, carried: 0n, amount: null, versions: new Map() };
}

function carriedFrom(net: bigint, amount: bigint | null): Pick<Sums, 'carried' | 'amount'> | undefined {
  if (net >= 0n && (amount === null || amount >= 0n)) return undefined;
  return { carried: net < 0n ? net : 0n, amount: amount === null || amount < 0n ? amount : 0n };
}

function labelCells({ labels: { contributionRule, pointConversion, treeCost } }: Entry): Line {
  return { contribution_rule_version: contributionRule, point_conversion_version: pointConversion, tree_cost_version: treeCost };
}

function addToVersion(
  sums: Sums,
  line: Line,
  { count, points, amount }: { count: bigint; points: bigint; amount: bigint | null },
): void {
  const labels = [line['contribution_rule_version'], line['point_conversion_version'], line['tree_cost_version']].join(' ');
  const known = sums.versions.get(labels) ?? { count: 0n, points: 0n, amount: null };
  const added = { count: known.count + count, points: known.points + points, amount: addAmount(known.amount, amount) };
  sums.versions.set(labels, added);
  sums.amount = addAmount(sums.amount, amount);
}

function versionText({
  contribution_rule_version,
  point_conversion_version,
  tree_cost_version,
  count,
  points,
  amount,
}: VersionTotals): string {
  const labels = [contribution_rule_version, point_conversion_version, tree_cost_version].join(' ');
  return `${labels}: ${count}, ${points}, ${amount === null ? null : readMoney(amount)}`;
}

function addAmount(sum: bigint | null, amount: bigint | null): bigint | null {
  return amount === null ? sum : (sum ?? 0n) + amount;
}
