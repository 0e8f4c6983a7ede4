/** Bodies from records in memory: what is stored of each makes exactly the bytes that are signed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { supportTexts } from '../../domain/customer-texts.ts';
import { bodyFromValues } from '../../domain/events/body-values.ts';
import { unpackBody } from '../../domain/events/packed-body.ts';
import type { ContributionRecord } from '../../store/contributions/contribution.ts';
import type { Queryable } from '../../store/database.ts';
import { makeEventBodies } from './event-bodies.ts';
import { RecentContributions } from './recent-contributions.ts';

const UNASKED = {} as Queryable;

interface Drawn {
  readonly points: bigint;
  readonly trees: bigint | undefined;
  readonly text: string;
  readonly customerRef: string | null;
  readonly decidedMs: number;
  /** The calculation_id that was rejected; `undefined` when the confirmation named none. */
  readonly rejected: string | null | undefined;
}

function confirmed({ points, trees, text, customerRef, decidedMs, rejected }: Drawn) {
  const createdAt = new Date('2026-11-29T10:00:00.001Z');
  const occurredAt = new Date(createdAt.getTime() + decidedMs);
  const contribution = {
    transactionId: 'txn_01',
    partnerEventId: text,
    partnerOrderRef: text,
    status: 'confirmed',
    points,
    opaqueCustomerRef: customerRef,
    contributionRuleVersion: 'r',
    pointConversionVersion: text,
    treeCostVersion: 'c',
    expectedEnvironmentalSupport: supportTexts(points, trees),
    createdAt,
    confirmedAt: occurredAt,
    failedAt: null,
  };
  const record = {
    partnerId: 'ptn_01',
    contribution,
    associationOutcome: rejected === undefined ? 'not_requested' : 'rejected',
    rejectionCode: rejected === undefined ? null : 'estimate_not_found',
    link: null,
    calculationId: rejected ?? null,
    firstStatus: 'confirmed',
  };
  const event = {
    partnerId: 'ptn_01',
    eventId: 'evt_01',
    eventType: 'impact.transaction.confirmed',
    sequence: points,
    subjectId: 'txn_01',
    correlationId: text,
    occurredAt,
    data: null,
  };
  return [event, record as unknown as ContributionRecord] as const;
}

test('of every contribution, in one of the two forms', async () => {
  const counted = fc.oneof(fc.bigInt(1n, 300n), fc.bigInt(1n, 2n ** 63n - 1n));
  const drawn = fc.record({
    points: counted,
    trees: fc.option(fc.oneof(fc.constant(0n), counted), { nil: undefined }),
    text: fc.string({ unit: 'grapheme' }),
    customerRef: fc.option(fc.string({ unit: 'grapheme' })),
    decidedMs: fc.constantFrom(0, 0, 1),
    rejected: fc.constantFrom(undefined, undefined, undefined, 'calc_unknown', null),
  });
  const forms = { values: 0, packed: 0 };
  await fc.assert(
    fc.asyncProperty(drawn, async (one) => {
      const [event, record] = confirmed(one);
      const recent = new RecentContributions();
      recent.add(record);
      const bodies = await makeEventBodies(UNASKED, { environment: 'sandbox', recent, onError: assert.ifError }, [event]);
      const { body, bodyValues, packedBody } = bodies.get('evt_01') ?? assert.fail('no body');
      const parsed = JSON.parse(body.toString());
      assert.equal(parsed.data.contribution.partner_order_ref, one.text);
      const { status, rejection } = parsed.data.association;
      assert.deepEqual(
        [status, rejection?.calculation_id],
        [one.rejected === undefined ? 'not_requested' : 'rejected', one.rejected],
      );
      forms[bodyValues === null ? 'packed' : 'values']++;
      const stored =
        bodyValues === null ? unpackBody(packedBody ?? assert.fail('in no form')) : bodyFromValues(bodyValues, event, 'sandbox');
      assert.equal(stored.toString(), body.toString());
      assert.equal(bodyValues === null, packedBody !== null);
      // The forms of most contributions, as `SENTENCES_1` lists them.
      const isPlain = one.decidedMs === 0 && one.rejected === undefined && one.points > 2n;
      const isUsual = isPlain && (one.trees === undefined || one.trees === 0n || one.trees > 2n);
      if (isUsual) assert.notEqual(bodyValues, null);
    }),
    { numRuns: 500 },
  );
  assert.ok(forms.values > 50 && forms.packed > 50, JSON.stringify(forms));
});
