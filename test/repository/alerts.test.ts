/** The alerts of docs/operating.md fire when they are to: what of their expressions depends on the service is that of the service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The expressions of all alerts. */
const ALERTS = [
  ...read('docs/operating.md').matchAll(/^\| `([^`]*\b(?:partner_impact|process|nodejs)_[^`]*[<>=][^`]*)` \|/gm),
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
const NEEDED = ['sum(increase(partner_impact_processes_died_total[', 'max(changes(process_start_time_seconds['];

for (const beginning of NEEDED)
  test(`an alert begins with ${beginning}`, () => assert.equal(ALERTS.filter((alert) => alert.startsWith(beginning)).length, 1));

test('an alert about endpoints is one for each, so that one of them hides no other', () => {
  const alerts = ALERTS.filter((alert) => /partner_impact_endpoint_(state\{state="|exhausted)/.test(alert));
  assert.equal(alerts.length, 2);
  for (const alert of alerts) assert.match(alert, /^max by \(partner_id, endpoint_id\) /);
});
