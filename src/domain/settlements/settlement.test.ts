import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACKNOWLEDGEMENT_STATUSES,
  type Acknowledgement,
  type AcknowledgementStatus,
  checkAcknowledgement,
  isBeforeEnd,
} from './settlement.ts';
import { calendarPeriod } from './settlement-period.ts';

const problems = (
  acknowledgement: AcknowledgementStatus,
  wanted: Partial<Acknowledgement>,
  settlement: 'open' | 'closed' = 'closed',
) =>
  checkAcknowledgement({ settlement, acknowledgement }, { status: 'accepted', reference: null, note: null, ...wanted }).map(
    ({ field, code }) => `${field} ${code}`,
  );

test('settlements, section 2, Assignment at close: what lies before the end is taken', () => {
  const november = calendarPeriod(new Date('2026-11-20T00:00:00Z'), 'Asia/Riyadh');
  const before = (at: Date) => new Date(at.getTime() - 1);
  assert.deepEqual([isBeforeEnd(before(november.endsAt), november), isBeforeEnd(november.endsAt, november)], [true, false]);
  assert.ok(isBeforeEnd(before(november.startsAt), november), 'a straggler falls into the next settlement');
});

test('settlements, section 2, acknowledgement: accepted or disputed, and a dispute may end in acceptance', () => {
  const possible = ACKNOWLEDGEMENT_STATUSES.flatMap((from) =>
    ACKNOWLEDGEMENT_STATUSES.filter((status) => problems(from, { status }).length === 0).map((to) => `${from} ${to}`),
  );
  assert.deepEqual(possible, ['pending accepted', 'pending disputed', 'disputed accepted']);
});

test('settlements, section 2, acknowledgement: only of a closed settlement, and all problems are told at once', () => {
  assert.deepEqual(problems('accepted', { status: 'disputed', reference: 'a b', note: ' ' }, 'open'), [
    'settlement_id settlement_open',
    'status not_possible',
    'reference wrong_form',
    'note wrong_form',
  ]);
});

test('settlements, section 2, acknowledgement: a note is a text in any language', () => {
  for (const note of ['Two lines\nof text.', 'الفرق في سطرين', 'x'.repeat(1_000)])
    assert.deepEqual(problems('pending', { note }), [], note);
  for (const note of ['', '\n', 'x'.repeat(1_001), 'a\u0000b', 'a\u001b[31m', 'a\rb', 'a\ud800'])
    assert.deepEqual(problems('pending', { note }), ['note wrong_form'], JSON.stringify(note));
});

test('settlements, section 2, acknowledgement: the refusal of a note says which characters it may not have', () => {
  const wanted = { status: 'accepted', reference: null, note: 'Two lines\r\nof text.' } as const;
  const [problem, ...more] = checkAcknowledgement({ settlement: 'closed', acknowledgement: 'pending' }, wanted);
  assert.deepEqual([problem?.field, more], ['note', []]);
  assert.match(problem?.message ?? '', /without control characters other than line feeds/);
});
