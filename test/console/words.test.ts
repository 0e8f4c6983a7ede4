/** Every code that the service may write into what a person reads has words in both languages. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { STEP, UNIT } from '../../console/src/pages/estimates/estimate-texts.ts';
import { NOT_ROUNDED, ROUNDED_HALF_UP } from '../../console/src/pages/estimates/sheet-sentences.ts';
import { FAILURE } from '../../console/src/pages/failures/failure-texts.ts';
import { CHANGE, PLANTING } from '../../console/src/pages/impact/impact-texts.ts';
import { DOES, JOB } from '../../console/src/pages/jobs/job-texts.ts';
import { SET_UP } from '../../console/src/pages/partners/set-up/set-up-texts.ts';
import { FAILED_FOR, RECONCILIATION, VERDICT_HELP } from '../../console/src/pages/reconciliations/reconciliation-texts.ts';
import { OUTCOME, RULE_KIND } from '../../console/src/pages/rules/rule-texts.ts';
import { LINE_KIND } from '../../console/src/pages/settlements/settlement-texts.ts';
import { DISABLED_FOR, TRIGGER } from '../../console/src/pages/webhooks/webhook-texts.ts';
import { ACTION } from '../../console/src/texts/action-texts.ts';
import { ASSOCIATION, EVENT_TYPE, JOB_NAME, RECORD_KIND, REJECTION } from '../../console/src/texts/code-texts.ts';
import {
  ADJUSTMENT_REASON,
  ENDPOINT_STATUS,
  FACT,
  HAPPENED,
  NO_ANSWER,
  REVIEW_REASON,
  STATUS,
  VERDICT,
} from '../../console/src/texts/record-texts.ts';
import { FIELD_REFUSAL, NAMED_REFUSAL, REFUSAL } from '../../console/src/texts/refusals-in-arabic.ts';
import { SHELL } from '../../console/src/texts/shell-texts.ts';
import operatorDocument from '../../openapi/operator.json' with { type: 'json' };
import { OPERATOR_DETAIL_CODES, PARTNER_DETAIL_CODES } from '../../src/domain/detail-codes.ts';
import { ASSOCIATION_REFUSALS } from '../../src/domain/emissions/association-refusals.ts';
import { estimateEmissions } from '../../src/domain/emissions/calculate-emissions.ts';
import { calculationSheet } from '../../src/domain/emissions/calculation-sheet.ts';
import { distanceText } from '../../src/domain/emissions/distance.ts';
import type { Estimate } from '../../src/domain/emissions/estimate.ts';
import { EVENT_TYPES, TEST_TYPE, VERIFICATION_TYPE } from '../../src/domain/events/event.ts';
import { LIST_NOT_ENDED } from '../../src/domain/reconciliations/list-problem.ts';
import { DISABLED_FOR as REASONS } from '../../src/domain/webhooks/endpoint-health.ts';
import { AUDITED_KINDS } from '../../src/operations/audit/audited-kinds.ts';
import { ATTESTED_KINDS } from '../../src/operations/verification/attest-record.ts';
import { ERROR_CLASSES } from '../../src/webhooks/delivery/send.ts';

const SOURCE = join(import.meta.dirname, '../../src');

/** By the schema and the member, the words that the console has for its values. */
const WORDS: Readonly<Record<string, object>> = {
  'Acknowledgement.status': STATUS,
  'Adjustment.status': STATUS,
  'AdjustmentReversal.status': STATUS,
  'Adjustment.reason_code': ADJUSTMENT_REASON,
  'ApiKey.permission': SET_UP,
  'ApiKey.status': SET_UP,
  'Calculation.name': STEP,
  'Calculation.unit': UNIT,
  'Contribution.association': ASSOCIATION,
  'Contribution.status': STATUS,
  'ContributionSummary.status': STATUS,
  'Delivery.status': STATUS,
  'Delivery.trigger': TRIGGER,
  'Endpoint.status': ENDPOINT_STATUS,
  'ListedEndpoint.status': ENDPOINT_STATUS,
  'Error.code': REFUSAL,
  'Estimate.distance_unit': UNIT,
  'Failure.status': FAILURE,
  'FoundContribution.status': STATUS,
  'FoundPartner.status': STATUS,
  'FoundRecord.kind': RECORD_KIND,
  'ImpactBatch.status': PLANTING,
  'ImpactBatchChange.change_type': CHANGE,
  'ImpactBatchChange.previous_status': PLANTING,
  'ImpactBatchChange.status': PLANTING,
  'JobRun.outcome': JOB,
  'JobRun.trigger': JOB,
  'ListedAdjustment.status': STATUS,
  'ListedAdjustment.reason_code': ADJUSTMENT_REASON,
  'NamedContribution.status': STATUS,
  'Operator.role': SHELL,
  'Operator.status': STATUS,
  'Partner.status': STATUS,
  'PoolableSettlement.acknowledgement': STATUS,
  'Reconciliation.status': STATUS,
  'ReconciliationLine.contribution_status': STATUS,
  'ReconciliationLine.line_type': LINE_KIND,
  'ReconciliationLine.matched_points': RECONCILIATION,
  'ReconciliationLine.verdict': VERDICT,
  'Review.reason': REVIEW_REASON,
  'ReviewDecision.status': STATUS,
  'ReviewDetail.reason': REVIEW_REASON,
  'Rule.kind': RULE_KIND,
  'RuleBand.outcome': OUTCOME,
  'Session.environment': SHELL,
  'Settlement.environment': SHELL,
  'Settlement.status': STATUS,
  'SettlementLine.line_type': LINE_KIND,
  'SignedInOperator.role': SHELL,
  'TestConfirmation.status': STATUS,
  'TimelineEntry.kind': HAPPENED,
};

/** What no page shows as a value: it stands in a sentence of its own, or is the same for every record. */
const SAID_OTHERWISE: readonly string[] = [
  'Calculation.distance_unit',
  'Calculation.emission_factor_unit',
  'Calculation.lifecycle_boundary',
  'Calculation.rounding_mode',
  'EarlierDecision.status',
  'Estimate.environment',
  'Estimate.lifecycle_boundary',
  'Estimate.status',
  'Reconciliation.format',
  'RemovedEndpoint.status',
  'Rule.standing',
  'Verification.status',
];

interface Schema {
  readonly enum?: readonly (string | null)[];
}

/** The members with a closed list of values, by their schema and their name. */
function closedLists(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const look = (schema: string, node: unknown, name: string) => {
    if (typeof node !== 'object' || node === null) return;
    const { enum: values } = node as Schema;
    if (Array.isArray(values)) found.set(`${schema}.${name}`, values.filter((value) => value !== null) as string[]);
    for (const [key, value] of Object.entries(node)) {
      const isName = !['properties', 'items', 'anyOf', 'enum'].includes(key) && Number.isNaN(Number(key));
      if (key !== 'enum') look(schema, value, isName ? key : name);
    }
  };
  for (const [schema, node] of Object.entries(operatorDocument.components.schemas)) look(schema, node, schema);
  return found;
}

const without = (values: readonly string[], words: object) => values.filter((value) => !Object.hasOwn(words, value));

describe('closed lists of the interface', () => {
  const lists = closedLists();

  test('each has its words, or a reason to have none', () => {
    assert.ok(lists.size > 40);
    const unknown = [...lists.keys()].filter((place) => !Object.hasOwn(WORDS, place) && !SAID_OTHERWISE.includes(place));
    assert.deepEqual(unknown, [], 'add it to WORDS or SAID_OTHERWISE');
    assert.deepEqual(
      [...Object.keys(WORDS), ...SAID_OTHERWISE].filter((place) => !lists.has(place)),
      [],
      'a list that there is no more',
    );
  });

  for (const [place, words] of Object.entries(WORDS))
    test(`${place}: every value has words`, () => assert.deepEqual(without(lists.get(place) ?? [], words), []));
});

/** Why a second person is needed has sentences of its own, with names. */
function isNotOfFourEyes(code: string): boolean {
  return !['no_address', 'same_address', 'same_maker', 'same_operator'].includes(code);
}

describe('codes that the interface has as text', () => {
  const sourceOf = (path: string) => readFileSync(join(SOURCE, path), 'utf8');
  const { contribution_final_failure: _, ...rejections } = ASSOCIATION_REFUSALS;
  const contexts: readonly [what: string, values: readonly string[], words: object][] = [
    ['why an estimate was not linked', Object.keys(rejections), REJECTION],
    ['types of events', [...EVENT_TYPES, VERIFICATION_TYPE, TEST_TYPE], EVENT_TYPE],
    ['why there was no answer', Object.keys(ERROR_CLASSES), NO_ANSWER],
    ['why the service disables an endpoint', Object.values(REASONS), DISABLED_FOR],
    ['verdicts with their help', Object.keys(VERDICT), VERDICT_HELP],
    ['why a request is refused', [...PARTNER_DETAIL_CODES, ...OPERATOR_DETAIL_CODES].filter(isNotOfFourEyes), FIELD_REFUSAL],
    ['what each job does', Object.keys(JOB_NAME), DOES],
  ];
  for (const [what, values, words] of contexts)
    test(`${what}: every value has words`, () => {
      assert.ok(values.length > 1);
      assert.deepEqual(without(values, words), []);
    });

  test('why a list failed of which the rest never came', () => {
    assert.deepEqual(Object.keys(FAILED_FOR), [LIST_NOT_ENDED]);
  });

  test('a refusal of a named field has a code that the service sends, and words beside those of the code', () => {
    for (const [name, words] of Object.entries(NAMED_REFUSAL)) {
      const code = name.split(' ')[1] ?? '';
      assert.ok(Object.hasOwn(FIELD_REFUSAL, code), name);
      assert.notEqual(words, FIELD_REFUSAL[code], name);
    }
  });

  test('the sentences of a calculation sheet', () => {
    const sentencesOf = (distanceMetres: number) => {
      const vehicleCategory = 'motorcycle_gasoline';
      const estimate = {
        ...estimateEmissions(distanceMetres, vehicleCategory),
        vehicleCategory,
        distanceKm: distanceText(distanceMetres),
      };
      return calculationSheet(estimate as Estimate).steps.flatMap(({ expression }) =>
        /[a-z]/.test(expression) ? expression : [],
      );
    };
    assert.deepEqual(sentencesOf(69), [NOT_ROUNDED]);
    const [rounded, ...others] = sentencesOf(12_345);
    assert.match(rounded ?? '', ROUNDED_HALF_UP);
    assert.deepEqual(others, []);
  });

  test('the names of jobs', () => {
    const names = globSync('schedule/jobs/*.ts', { cwd: SOURCE }).flatMap((path) =>
      [...sourceOf(path).matchAll(/(?:name:|_JOB =|NAME =) '([a-z-]+)'/g)].map(([, name]) => name ?? ''),
    );
    assert.deepEqual(names.toSorted(), Object.keys(JOB_NAME).toSorted());
  });

  test('the facts of a timeline', () => {
    const source = sourceOf('operations/overview/contribution-timeline.ts');
    const names = [...source.matchAll(/\b([a-z]+(?:_[a-z]+)*): /g)].map(([, name]) => name ?? '');
    const facts = names.filter(
      (name) => name.includes('_') || ['reason', 'association', 'sequence', 'attempt', 'change'].includes(name),
    );
    assert.ok(facts.length > 10);
    assert.deepEqual(without(facts, FACT), []);
  });

  test('the actions of the audit', () => {
    const subjects = [...new Set(Object.keys(ACTION).map((action) => action.split('.')[0]))].join('|');
    const literal = new RegExp(`'((?:${subjects})\\.[a-z-]+)'`, 'g');
    const recorded = globSync('{operations,webhooks,operator-api,schedule}/**/*.ts', { cwd: SOURCE })
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) => [...sourceOf(path).matchAll(literal)].map(([, action]) => action ?? ''));
    const [, changes = ''] = /const ACTIONS = {([^}]+)}/.exec(sourceOf('operations/impact/change-impact-batch.ts')) ?? [];
    const ofBatches = [...changes.matchAll(/'([a-z-]+)'/g)].map(([, change]) => `impact-batch.${change}`);
    const ofKinds = [
      ...AUDITED_KINDS.map(({ action }) => `${action}.adopt`),
      ...ATTESTED_KINDS.map(({ action }) => `${action}.attest`),
    ];
    const actions = [...recorded, ...ofBatches, ...ofKinds].filter(
      (action) => !(EVENT_TYPES as readonly string[]).includes(action),
    );
    assert.ok(ofBatches.length > 3 && recorded.length > 50);
    assert.deepEqual(without(actions, ACTION), []);
    assert.deepEqual(
      Object.keys(ACTION).filter((action) => !actions.includes(action)),
      [],
      'an action that nobody records',
    );
  });
});
