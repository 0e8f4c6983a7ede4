/**
 * The body of a confirmation's event, as the values that neither its row nor all such bodies have. A template says how the text is made
 * of them. It stays readable for ever, so it never changes, whatever a later release writes into new bodies: another text is another
 * template, with a number of its own, which one release reads before another writes it.
 */
import type { Environment } from '../access/api-key.ts';
import type { Contribution } from '../contributions/contribution.ts';
import type { SupportTexts } from '../customer-texts.ts';
import type { EventHead } from './event.ts';

/** The columns of an event that the body of a confirmation repeats. */
export interface BodyColumns extends EventHead {
  /** For a confirmation its transaction id. */
  readonly subjectId: string;
}

const TEMPLATE_1 = 1;

type Values1 = readonly [
  template: typeof TEMPLATE_1,
  partnerEventId: string,
  partnerOrderRef: string,
  /** In decimal digits: JSON numbers end below int64. */
  points: string,
  opaqueCustomerRef: string | null,
  contributionRuleVersion: string,
  pointConversionVersion: string | null,
  treeCostVersion: string | null,
  /** Its place in {@link SENTENCES_1}. */
  sentence: number,
  /** In decimal digits; absent from a sentence without trees. */
  trees: string | null,
];

/** Between the parts stand the points, and after them the trees. */
type Sentence = readonly [beforePoints: string, afterPoints: string, afterTrees?: string];

const EN = 'This contribution of ';
const IS_TO = ' points is expected to';
const TO_SUPPORT = `${IS_TO} support tree planting.`;
const TO_COVER = `${IS_TO} cover part of the cost of planting one tree.`;
const TO_PLANT = `${IS_TO} support planting about `;
const AR_SUPPORT = 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها ';
const AR_COVER = 'يُتوقَّع أن تغطي هذه المساهمة، وقدرها ';
const AR_PART = 'جزءًا من تكلفة زراعة شجرة واحدة.';

/** The texts of template 1 in both languages, with the plural forms of most contributions. */
const SENTENCES_1: readonly (readonly [en: Sentence, ar: Sentence])[] = [
  [
    [EN, TO_SUPPORT],
    [AR_SUPPORT, ' نقطة، زراعة الأشجار.'],
  ],
  [
    [EN, TO_SUPPORT],
    [AR_SUPPORT, ' نقاط، زراعة الأشجار.'],
  ],
  [
    [EN, TO_COVER],
    [AR_COVER, ` نقطة، ${AR_PART}`],
  ],
  [
    [EN, TO_COVER],
    [AR_COVER, ` نقاط، ${AR_PART}`],
  ],
  [
    [EN, TO_PLANT, ' trees.'],
    [AR_SUPPORT, ' نقطة، زراعة ', ' أشجار تقريبًا.'],
  ],
  [
    [EN, TO_PLANT, ' trees.'],
    [AR_SUPPORT, ' نقاط، زراعة ', ' أشجار تقريبًا.'],
  ],
  [
    [EN, TO_PLANT, ' trees.'],
    [AR_SUPPORT, ' نقطة، زراعة ', ' شجرة تقريبًا.'],
  ],
  [
    [EN, TO_PLANT, ' trees.'],
    [AR_SUPPORT, ' نقاط، زراعة ', ' شجرة تقريبًا.'],
  ],
];

/**
 * What {@link bodyFromValues} needs beside the event's row to make its body again.
 *
 * @param body Of an event about this contribution.
 * @returns JSON text; `null` for a body that no template makes, byte for byte.
 */
export function valuesOfBody(
  body: string,
  event: BodyColumns,
  environment: Environment,
  contribution: Contribution,
): string | null {
  const points = String(contribution.points);
  const said = findSentence(contribution.expectedEnvironmentalSupport, points);
  if (!said) return null;
  const { partnerEventId, partnerOrderRef, opaqueCustomerRef } = contribution;
  const { contributionRuleVersion, pointConversionVersion, treeCostVersion } = contribution;
  const values: Values1 = [
    ...([TEMPLATE_1, partnerEventId, partnerOrderRef, points, opaqueCustomerRef] as const),
    ...([contributionRuleVersion, pointConversionVersion, treeCostVersion, ...said] as const),
  ];
  return fill1(values, event, environment) === body ? JSON.stringify(values) : null;
}

/**
 * The body of which {@link valuesOfBody} took the values.
 *
 * @throws Error When they are of no template that this release knows.
 */
export function bodyFromValues(values: string, event: BodyColumns, environment: Environment): string {
  const read: unknown = JSON.parse(values);
  if (!Array.isArray(read) || read[0] !== TEMPLATE_1 || !SENTENCES_1[read[8]])
    throw new Error(`The body of ${event.eventId} is stored as the values of an unknown template.`);
  return fill1(read as unknown as Values1, event, environment);
}

function findSentence(
  { summaryEn, summaryAr }: SupportTexts,
  points: string,
): [sentence: number, trees: string | null] | undefined {
  for (const [place, [en, ar]] of SENTENCES_1.entries()) {
    const trees = treesIn(summaryEn, en, points);
    if (say(en, points, trees) === summaryEn && say(ar, points, trees) === summaryAr) return [place, trees];
  }
  return undefined;
}

function treesIn(text: string, [before, after, afterTrees]: Sentence, points: string): string | null {
  if (afterTrees === undefined) return null;
  return text.slice(before.length + points.length + after.length, -afterTrees.length);
}

function say([before, after, afterTrees]: Sentence, points: string, trees: string | null): string {
  return afterTrees === undefined ? `${before}${points}${after}` : `${before}${points}${after}${trees}${afterTrees}`;
}

/** A contribution that its request confirmed, with no estimate to link. */
function fill1(
  [, partnerEventId, orderRef, points, customerRef, rule, conversion, treeCost, sentence, trees]: Values1,
  { eventId, eventType, sequence, occurredAt, correlationId, subjectId }: BodyColumns,
  environment: Environment,
): string {
  const [en, ar] = SENTENCES_1[sentence] as (typeof SENTENCES_1)[number];
  const at = occurredAt.toISOString();
  return [
    `{"event_id":"${eventId}","event_type":"${eventType}","api_version":"v1","environment":"${environment}"`,
    `,"sequence":${sequence},"occurred_at":"${at}","correlation_id":${json(correlationId)}`,
    `,"data":{"contribution":{"transaction_id":"${subjectId}","partner_event_id":${json(partnerEventId)}`,
    `,"partner_order_ref":${json(orderRef)},"status":"confirmed","points":${points}`,
    `,"opaque_customer_ref":${json(customerRef)},"contribution_rule_version":${json(rule)}`,
    `,"point_conversion_version":${json(conversion)},"tree_cost_version":${json(treeCost)}`,
    `,"expected_environmental_support":{"summary_en":"${say(en, points, trees)}","summary_ar":"${say(ar, points, trees)}"}`,
    `,"non_refundable":true,"environment":"${environment}","created_at":"${at}","confirmed_at":"${at}","failed_at":null}`,
    ',"association":{"status":"not_requested"}}}',
  ].join('');
}

function json(value: string | null): string {
  return JSON.stringify(value);
}
