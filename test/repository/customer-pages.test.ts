/** The pages about what customers see show the texts of the service, word for word. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CONTRIBUTION_STATUS_LABELS,
  DISCLOSURE_AR,
  DISCLOSURE_EN,
  EMISSIONS_UNIT_AR,
  ENVIRONMENTAL_STATUS_LABELS,
  environmentalSummary,
  type Label,
  SETTLEMENT_LABELS,
  supportTexts,
  VEHICLE_LABELS,
} from '../../src/domain/customer-texts.ts';
import { readDocument } from '../support/document-blocks.ts';

const [english, contributions, emissions, environment] = [
  'docs/customer-texts.md',
  'docs/ar/contributions.md',
  'docs/ar/emissions.md',
  'docs/ar/environmental-status.md',
].map(readDocument) as [string, string, string, string];

const listLabels = (labels: Record<string, Label>) => Object.values(labels);

function assertHas(text: string, words: readonly string[]): void {
  assert.deepEqual(
    words.filter((each) => !text.includes(each)),
    [],
  );
}

test('the summaries of a contribution', () => {
  for (const [points, trees] of [
    [250n, 3n],
    [5n, 0n],
    [250n, undefined],
  ] as const) {
    const { summaryEn, summaryAr } = supportTexts(points, trees);
    assertHas(english, [summaryEn, summaryAr]);
    assertHas(contributions, [summaryAr]);
  }
});

test('counted points and trees, in the forms that Arabic has', () => {
  const rows = [...contributions.matchAll(/^\| (\S.*) \| (\S.*) \|$/gm)].map(([, points, trees]) => [points, trees] as const);
  for (const n of [1n, 2n, 3n, 11n, 100n]) {
    const { summaryAr } = supportTexts(n, n);
    assert.ok(
      rows.some(([points, trees]) => summaryAr.includes(`وقدرها ${points}،`) && summaryAr.includes(`زراعة ${trees} `)),
      summaryAr,
    );
  }
});

test('every label, in both languages', () => {
  for (const { en, ar } of [...listLabels(CONTRIBUTION_STATUS_LABELS), ...listLabels(ENVIRONMENTAL_STATUS_LABELS)])
    assertHas(english, [`| ${en} | ${ar} |`]);
  for (const { en, ar } of listLabels(VEHICLE_LABELS)) {
    assertHas(english, [`| ${en} | ${ar} |`]);
    assertHas(emissions, [ar]);
  }
  for (const { ar } of listLabels(CONTRIBUTION_STATUS_LABELS)) assertHas(contributions, [`| ${ar} |`]);
  for (const { en, ar } of listLabels(SETTLEMENT_LABELS)) assertHas(environment, [`| ${ar} | ${en} |`]);
});

test('what a customer is told of a contribution that is not decided, whose points stay deducted and not held', () => {
  const [, section = ''] = english.split('### While a contribution is not decided');
  const proposals = [...section.matchAll(/^\| `(?:unknown|pending|refused)` \| [^|]+ \| (.+) \|$/gm)].map(([, text]) =>
    String(text),
  );
  assert.equal(proposals.length, 3);
  assertHas(contributions, proposals);
  assert.match(contributions, /مخصومة/);
  assert.doesNotMatch(contributions, /محجوزة/);
});

test('the disclosure, the unit, and the isolated sign of what is less than a hundredth', () => {
  assertHas(english, [DISCLOSURE_EN, DISCLOSURE_AR, EMISSIONS_UNIT_AR]);
  assertHas(emissions, [DISCLOSURE_AR, `2.56 ${EMISSIONS_UNIT_AR}`, `\u2066<0.01\u2069 ${EMISSIONS_UNIT_AR}`]);
});

test('the summaries of every environmental status', () => {
  for (const status of Object.keys(ENVIRONMENTAL_STATUS_LABELS) as (keyof typeof ENVIRONMENTAL_STATUS_LABELS)[]) {
    const trees = status === 'recorded' ? undefined : 3n;
    assertHas(environment, [environmentalSummary(status, trees).summaryAr]);
  }
});

test('no page has a word that may not be shown', () => {
  for (const text of [contributions, emissions, environment])
    assert.doesNotMatch(text, /تعويض|محايد|حياد كربوني|صديق للبيئة|offset|neutral|compensat/i);
});
