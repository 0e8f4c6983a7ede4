/** The alerts of docs/operating.md fire when they are to: what of their expressions depends on the service is that of the service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Cron } from 'croner';
import { LIMITS } from '../../src/domain/limit-names.ts';
import { listJobs } from '../../src/schedule/jobs.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The expressions of all alerts. */
const ALERTS = [
  ...read('docs/operating.md').matchAll(/^\| `([^`]*\b(?:up|partner_impact_|process_|nodejs_)[^`]*[<>=][^`]*)` \|/gm),
].map(([, expression = '']) => expression);

/** The number above which an expression fires. */
function boundOf(expression: string): number {
  return Number(/ > ([\d.e]+)$/.exec(expression)?.[1]);
}

test('the alerts for wrong keys fire for one address, which gets only so many refusals in a minute', () => {
  const ofMinute = Number(/^const FAILURES_MAX = (\d+);$/m.exec(read('src/partner-api/limits/failure-limit.ts'))?.[1]);
  const alerts = ALERTS.filter((alert) => /"unauthorized"|"wrong_keys"/.test(alert));
  assert.equal(alerts.length, 2);
  for (const alert of alerts) assert.ok(boundOf(alert) < ofMinute / 60 / 10, alert);
});

/** What nothing else tells of, by the beginning of the expression that does. */
const NEEDED = [
  'max_over_time(partner_impact_processes_silent[',
  'sum(increase(partner_impact_processes_died_total[',
  'max(changes(partner_impact_start_time_seconds[',
  'min_over_time(partner_impact_requests_in_flight[',
  'max(max_over_time(nodejs_eventloop_lag_max_seconds{',
  'sum(rate(partner_impact_requests_total[15m])) == 0 or absent_over_time(partner_impact_requests_total[15m])',
  'count(max by (endpoint_id) (partner_impact_endpoint_state{state!="healthy",state!="disabled"})) > 4 and ',
  'sum(increase(partner_impact_unverified_records_total[',
  'sum(increase(partner_impact_unreadable_secrets_total[',
  'max by (partner_id) (partner_impact_storage_quota_used_ratio) ',
  'sum by (asked) (increase(partner_impact_sandbox_requests_ignored_total[',
  'sum(increase(partner_impact_delivery_attempts_total{result="delivered"}[15m])) == 0 and ',
];

for (const beginning of NEEDED)
  test(`an alert begins with ${beginning}`, () => assert.equal(ALERTS.filter((alert) => alert.startsWith(beginning)).length, 1));

test('an alert about endpoints is one for each, so that one of them hides no other', () => {
  const alerts = ALERTS.filter((alert) => /partner_impact_endpoint_(state\{state="|exhausted)/.test(alert));
  assert.equal(alerts.length, 2);
  for (const alert of alerts) assert.match(alert, /^max by \(partner_id, endpoint_id\) /);
});

test('the alert on connections fires before the proxy of the guide passes on no more', () => {
  const [, passedOn] = /^ +server one \S+ maxconn (\d+) /m.exec(read('docs/operating.md')) ?? [];
  const [alert = '', ...more] = ALERTS.filter((each) => each.includes('partner_impact_connections'));
  assert.deepEqual(more, []);
  assert.ok(boundOf(alert) < Number(passedOn), `${boundOf(alert)} and ${passedOn}`);
});

test('a single failure of a job fires no alert', () => {
  const alerts = ALERTS.filter((alert) => alert.includes('partner_impact_job_runs_total{outcome="failed"}'));
  assert.equal(alerts.length, 2);
  for (const alert of alerts)
    assert.match(alert, /^sum by \(job\) \(increase\(\w+\{outcome="failed"\}\[\w+\]\)\) > 1\.5( unless |$)/);
});

/** The longest time from one run of any job to its next. */
function longestSeconds(): number {
  const settlementTools = {} as Parameters<typeof listJobs>[0]['settlementTools'];
  const between = listJobs({ eventDays: 30, reviewExpiryHours: 72, settlementTools }).map(({ pattern }) => {
    const [one, next] = new Cron(pattern, { timezone: 'UTC' }).nextRuns(2) as [Date, Date];
    return (next.getTime() - one.getTime()) / 1_000;
  });
  return Math.max(...between);
}

test('the alert for jobs that have not succeeded waits for longer than any job is from one run to the next', () => {
  const [alert = '', ...more] = ALERTS.filter((each) => each.startsWith('(time() - max by (job) ('));
  assert.deepEqual(more, []);
  assert.ok(longestSeconds() < boundOf(alert));
});

test('a job that fails and has never succeeded, so that it has no time of a success, has an alert that sees two of its runs', () => {
  const alerts = ALERTS.filter((alert) =>
    alert.endsWith(' unless on (job) max by (job) (max_over_time(partner_impact_job_last_success_timestamp_seconds[50h]))'),
  );
  assert.equal(alerts.length, 1);
  const hours = Number(
    /^sum by \(job\) \(increase\(partner_impact_job_runs_total\{outcome="failed"\}\[(\d+)h\]\)\)/.exec(alerts[0] ?? '')?.[1],
  );
  assert.ok(hours * 3_600 > 2 * longestSeconds());
});

test('alerts on the label `job` of the service need a scrape that keeps it: Prometheus puts its own in its place', () => {
  assert.notEqual(ALERTS.filter((alert) => /\bjob\b/.test(alert)).length, 0);
  const [, scrape = ''] = /^```yaml\n(.*?)^```\n\n\| Expression \|/ms.exec(read('docs/operating.md')) ?? [];
  assert.match(scrape, /^ {4}honor_labels: true$/m);
  const [, port = ''] = /^\| `OPERATIONS_PORT` \| `(\d+)` \|/m.exec(read('docs/operating.md')) ?? [];
  assert.ok(scrape.includes(`- targets: ['127.0.0.1:${port}']`));
});

test('an alert on what every program has is about the target of the scrape alone', () => {
  const [, name = ''] = /^ {2}- job_name: (\S+)$/m.exec(read('docs/operating.md')) ?? [];
  const named = ALERTS.flatMap((alert) => alert.match(/\b(?:up\b|process_\w+|nodejs_\w+)(?:\{.*?\})?/g) ?? []);
  assert.ok(named.length > 5, `only ${named.length} were found`);
  assert.deepEqual(
    named.filter((each) => !each.endsWith(`{job="${name}"}`)),
    [],
  );
});

test('an expression can be copied from the file: `|`, which a table needs in another form, is in none', () => {
  assert.deepEqual(
    ALERTS.filter((alert) => alert.includes('|')),
    [],
  );
});

/** The labels that a matcher `=~` of an alert takes; Prometheus anchors it. */
function matchedBy(metric: string, label: string, values: readonly string[]): string[] {
  const matchers = ALERTS.flatMap((alert) => [...alert.matchAll(new RegExp(`${metric}\\{${label}=~"(.*?)"`, 'g'))]).map(
    ([, matcher]) => new RegExp(`^(?:${matcher})$`),
  );
  return values.filter((value) => matchers.some((matcher) => matcher.test(value)));
}

test('the alert for slow answers is about confirmations and their look-ups', () => {
  const { paths } = JSON.parse(read('openapi/partner.json')) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const operations = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId = [] }) => operationId),
  );
  assert.deepEqual(matchedBy('partner_impact_request_duration_seconds_bucket', 'operation', operations).sort(), [
    'confirmContribution',
    'getContributionById',
    'getContributionByPartnerEventId',
  ]);
});

test('the alerts for limits are about connections and heads, shed requests, and transfers', () => {
  assert.deepEqual(matchedBy('partner_impact_limit_hits_total', 'limit', LIMITS).sort(), [
    'connection_idle',
    'connection_pipelined',
    'connection_stalled',
    'connection_suspect',
    'in_flight',
    'in_flight_early',
    'request_late',
    'transfer_idle',
    'transfer_long',
    'transfer_share',
    'transfer_slow',
    'transfers',
  ]);
});
