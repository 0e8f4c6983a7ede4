import { insertSelect } from '../../../bench/rows/rows.ts';
import type { HotCallOptions } from './hot-calls.ts';

/** The tables that only verifications read as a whole. */
export const VERIFIED = [
  ...['settlement', 'settlement_line', 'settlement_line_proof', 'settlement_candidate', 'settlement_acknowledgement'],
  ...['adjustment', 'audit_entry', 'failure_draft', 'partner', 'api_key', 'webhook_endpoint', 'operator', 'operator_credential'],
  ...['rule_version', 'project', 'impact_batch', 'impact_batch_settlement', 'impact_evidence', 'impact_batch_change'],
];

/** As a record is named that was filled in. */
export const verifiedId = (prefix: string, number: number) => `${prefix}_${String(number).padStart(20, '0')}`;

const idOf = (prefix: string) => `'${prefix}_' || lpad(n::text, 20, '0')`;

const now = 'now()';
const sha256 = `sha256('n')`;

/** How many there are of what operators make one by one. */
const FEW = 2_000;
const BATCHES = 200;
const SETTLEMENT = `'${verifiedId('set', 1)}'`;
const ADJUSTMENTS_SETTLEMENT = `'${verifiedId('set', 2)}'`;

/**
 * What a verification reads of one partner: half of the contributions are on the lines of one settlement, and the adjustments on those of
 * another. Each adjustment has an entry in the audit.
 */
export function verifiedRows(terms: HotCallOptions, subject: string): string[] {
  return [...settlementRows(terms, subject), ...recordRows(terms, subject), ...batchRows(terms)];
}

function through(last: number): string {
  return `from generate_series(1::bigint, ${Math.floor(last)}::bigint) n`;
}

function settlementRows({ partnerId, rows, fewer }: HotCallOptions, subject: string): string[] {
  const partner_id = `'${partnerId}'`;
  const period = { period_start: now, period_end: `now() + interval '1 day'`, period_timezone: `'UTC'`, period_label: 'n::text' };
  const sums = { gross_points: '1', adjustment_points: '0', carried_points: '0', net_points: '1', totals_by_version: `'[]'` };
  const statement = { csv_sha256: idOf('sha'), csv_bytes: '1', line_count: '1', chain_sha256: `'c'`, seal: `'s'` };
  const counts = { follows_event: '0', contribution_count: '1', adjustment_count: '0', created_at: now, closed_at: now };
  const closed = { status: `'closed'`, ...counts, ...sums, ...statement };
  const line = { partner_id, line_no: 'n', points: '250', transaction_id: subject };
  const ofAdjustment = { ...line, settlement_id: ADJUSTMENTS_SETTLEMENT, line_type: `'adjustment'`, adjustment_id: idOf('adj') };
  const proof = { partner_id, settlement_id: SETTLEMENT, first_line_no: '1000 * n - 999', proofs: sha256 };
  const acknowledgement = { partner_id, settlement_id: idOf('set'), status: `'accepted'`, idempotency_key: 'n::text' };
  return [
    insertSelect('settlement', { partner_id, settlement_id: idOf('set'), sequence: 'n', ...period, ...closed }, through(FEW)),
    insertSelect('settlement_line', { ...line, settlement_id: SETTLEMENT, line_type: `'contribution'` }, through(rows / 2)),
    insertSelect('settlement_line', ofAdjustment, through(fewer)),
    insertSelect('settlement_line_proof', proof, through(rows / 2_000)),
    insertSelect('settlement_candidate', { partner_id, transaction_id: subject, sequence: 'n' }, through(FEW)),
    insertSelect('settlement_acknowledgement', { ...acknowledgement, fingerprint: sha256, acknowledged_at: now }, through(FEW)),
  ];
}

function recordRows({ partnerId, fewer }: HotCallOptions, subject: string): string[] {
  const partner_id = `'${partnerId}'`;
  const names = { partner_event_id: `'e' || n`, partner_order_ref: `'o' || n` };
  const rules = { contribution_rule_version: `'r'`, point_conversion_version: `'p'`, tree_cost_version: `'t'` };
  const reason = { reason_code: `'r'`, reason_en: `'r'`, reason_ar: `'r'` };
  const posted = {
    approved_by: `'b'`,
    approved_at: now,
    posted_by: `'b'`,
    posted_at: now,
    settlement_id: ADJUSTMENTS_SETTLEMENT,
  };
  const points = { contribution_points: '250', points_delta: '-1', settled_points_before: '250', settled_points_after: '249' };
  const adjustment = { partner_id, adjustment_id: idOf('adj'), status: `'posted'`, transaction_id: subject, ...names };
  const drafted = { confirmed_at: now, drafted_by: `'a'`, drafted_at: now };
  const entry = {
    entry_no: 'n',
    recorded_at: now,
    operator_id: `'a'`,
    role: `'operator'`,
    action: `'adjustment.post'`,
    partner_id,
  };
  const seal = { correlation_id: `'c'`, previous_mac: `'m'`, key_id: `'k'`, mac: `'m'` };
  const draft = { partner_id, failure_id: idOf('fail'), ...names, points: '1', reason: `'r'`, status: `'drafted'` };
  const key = { key_id: idOf('key'), partner_id: idOf('ptn'), secret_sha256: sha256, name: `'n'`, permission: `'read_only'` };
  const endpoint = {
    partner_id: idOf('ptn'),
    endpoint_id: idOf('whe'),
    url: `'https://example.org'`,
    status: `'removed'`,
    secret_sealed: `'s'`,
  };
  const rates = { writes_per_second: '1', lookups_per_second: '1', reports_per_second: '1' };
  const credential = { credential_id: idOf('cred'), operator_id: idOf('op'), kind: `'token'`, secret_sha256: sha256 };
  const rule = { kind: `'tree_cost'`, version: idOf('v'), starts_at: `now() + n * interval '1 day'`, created_at: now };
  const ofOthers = { ...rule, kind: `'point_conversion'`, partner_id: idOf('ptn') };
  const made = { action: `'rule.create'`, partner_id: idOf('ptn'), subject_id: `'point_conversion/' || ${idOf('v')}` };
  return [
    insertSelect('adjustment', { ...adjustment, ...rules, ...reason, ...points, ...drafted, ...posted }, through(fewer)),
    insertSelect('audit_entry', { ...entry, subject_id: idOf('adj'), ...seal }, through(fewer)),
    insertSelect('failure_draft', { ...draft, drafted_by: `'a'`, drafted_at: now }, through(fewer)),
    insertSelect('api_key', key, through(FEW)),
    insertSelect('webhook_endpoint', { ...endpoint, created_at: now, changed_at: now }, through(FEW)),
    insertSelect('partner', { partner_id: idOf('ptn'), name: `'n'`, ...rates }, through(FEW)),
    insertSelect('operator', { operator_id: idOf('op'), name: `'n'`, role: `'viewer'`, created_at: now }, through(FEW)),
    insertSelect('operator_credential', { ...credential, created_at: now, expires_at: now }, through(FEW)),
    insertSelect('rule_version', rule, through(FEW)),
    insertSelect('rule_version', ofOthers, through(FEW)),
    insertSelect('audit_entry', { ...entry, entry_no: `${fewer} + n`, ...made, ...seal }, through(FEW)),
  ];
}

function batchRows({ partnerId }: HotCallOptions): string[] {
  const impact_batch_id = idOf('batch');
  const pooled = { partner_id: `'${partnerId}'`, settlement_id: idOf('set'), impact_batch_id: `'${verifiedId('batch', 1)}'` };
  const file = { type: `'photo'`, url: `'u'`, file_name: `'f'`, byte_count: '1', sha256: `encode(sha256('n'), 'hex')` };
  const evidence = { impact_batch_id, evidence_no: '1', ...file, captured_at: now, added_by: `'a'`, added_at: now };
  const change = { impact_batch_id, change_no: '1', change_type: `'advanced'`, previous_status: `'recorded'` };
  const recorded = { status: `'recorded'`, quantity: '1' };
  return [
    insertSelect(
      'project',
      { project_id: idOf('project'), name_en: `'n'`, name_ar: `'n'`, country: `'SA'`, created_at: now },
      through(BATCHES),
    ),
    insertSelect(
      'impact_batch',
      { impact_batch_id, name: `'n'`, ...recorded, created_at: now, status_at: now },
      through(BATCHES),
    ),
    insertSelect('impact_batch_settlement', { ...pooled, contribution_count: '1', added_at: now }, through(FEW)),
    insertSelect('impact_evidence', evidence, through(BATCHES)),
    insertSelect('impact_batch_change', { ...change, ...recorded, operator_id: `'a'`, occurred_at: now }, through(BATCHES)),
  ];
}
