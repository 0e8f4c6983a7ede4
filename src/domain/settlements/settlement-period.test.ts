import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { closesAt } from './closing-delay.ts';
import {
  calendarDay,
  calendarPeriod,
  closedPeriod,
  DEFAULT_TIME_ZONE,
  findTimeZone,
  nextPeriod,
  type SettlementPeriod,
} from './settlement-period.ts';

/** Zones whose clocks change, or have changed, in every odd way: over midnight, by whole days, by half hours, on the first of a month. */
const ZONES = [
  'Asia/Riyadh',
  'UTC',
  'Africa/Cairo',
  'America/St_Johns',
  'America/Asuncion',
  'America/Sao_Paulo',
  'Asia/Amman',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Europe/London',
  'Pacific/Apia',
  'Pacific/Kiritimati',
];
const zones = fc.constantFrom(...ZONES);
const instants = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });

/** Negative when the first label is of an earlier period: `2026-11-2` precedes `2026-11-10`. */
const comparePeriodLabels = new Intl.Collator('en', { numeric: true }).compare;

const shown = ({ startsAt, endsAt, label }: SettlementPeriod) => [label, startsAt.toISOString(), endsAt.toISOString()];
const calendar = (at: string, timeZone: string) => calendarPeriod(new Date(at), timeZone);

test('settlements, section 2, Period: a calendar month in Asia/Riyadh, half-open', () => {
  const november = ['2026-11', '2026-10-31T21:00:00.000Z', '2026-11-30T21:00:00.000Z'];
  assert.equal(DEFAULT_TIME_ZONE, 'Asia/Riyadh');
  assert.deepEqual(shown(calendar('2026-11-20T19:29:00.000Z', DEFAULT_TIME_ZONE)), november);
  assert.deepEqual(shown(calendar('2026-10-31T21:00:00.000Z', DEFAULT_TIME_ZONE)), november);
  assert.deepEqual(shown(calendar('2026-11-30T20:59:59.999Z', DEFAULT_TIME_ZONE)), november);
  assert.equal(calendar('2026-11-30T21:00:00.000Z', DEFAULT_TIME_ZONE).label, '2026-12');
  assert.equal(calendar('2026-10-31T20:59:59.999Z', DEFAULT_TIME_ZONE).label, '2026-10');
});

test('a day is that of the clocks of its zone', () => {
  const days = [
    ['Asia/Riyadh', '2026-11-20T20:59:59.999Z', '2026-11-20'],
    ['Asia/Riyadh', '2026-11-20T21:00:00.000Z', '2026-11-21'],
    // By summer time, and under the former name of a zone.
    ['EET', '2026-07-01T21:00:00.000Z', '2026-07-02'],
    ['EET', '2026-12-01T21:59:59.999Z', '2026-12-01'],
    ['Asia/Calcutta', '2026-07-01T18:30:00.000Z', '2026-07-02'],
  ] as const;
  for (const [zone, at, day] of days) assert.equal(calendarDay(new Date(at), zone), day, `${zone} ${at}`);
});

test('settlements, section 2, Period: a clock that changes at the border of a month moves the border, and leaves no gap', () => {
  const borders = [
    // Daylight saving time began on the first at midnight: the first moment of the month is 01:00.
    ['Asia/Amman', '1992-04', '1992-03-31T22:00:00.000Z'],
    ['America/Asuncion', '2000-10', '2000-10-01T04:00:00.000Z'],
    // It ended on the first at one minute past midnight, and the clock went back into the month before.
    ['America/St_Johns', '2009-11', '2009-11-01T02:30:00.000Z'],
    // It ended on the last day of the month.
    ['Europe/London', '2026-11', '2026-11-01T00:00:00.000Z'],
    // The last day of the month was left out.
    ['Pacific/Kiritimati', '1995-01', '1994-12-31T10:00:00.000Z'],
    // Local mean time, with seconds, before time zones.
    ['Asia/Riyadh', '1947-03', '1947-02-28T20:53:08.000Z'],
    ['Africa/Monrovia', '1972-01', '1972-01-01T00:44:30.000Z'],
  ] as const;
  for (const [timeZone, label, border] of borders) {
    const before = calendarPeriod(new Date(new Date(border).getTime() - 1), timeZone);
    assert.equal(before.endsAt.toISOString(), border, timeZone);
    assert.deepEqual(shown(nextPeriod(before, timeZone)), shown(calendar(border, timeZone)), timeZone);
    assert.equal(calendar(border, timeZone).label, label, timeZone);
  }
});

test('settlements, section 2, Period: an hour that the clock shows twice belongs to the month that had begun', () => {
  // At 02:31 UTC the clock of St. John's went from 00:01 on 1 November back to 23:01 on 31 October.
  assert.equal(calendar('2009-11-01T02:30:30.000Z', 'America/St_Johns').label, '2009-11');
  assert.equal(calendar('2009-11-01T02:40:00.000Z', 'America/St_Johns').label, '2009-11');
});

test('settlements, section 2, Period: every instant lies in exactly one month, in every zone', () => {
  fc.assert(
    fc.property(instants, zones, (at, timeZone) => {
      const period = calendarPeriod(at, timeZone);
      assert.ok(period.startsAt <= at && at < period.endsAt, 'the month holds the instant');
      const before = calendarPeriod(new Date(period.startsAt.getTime() - 1), timeZone);
      const after = calendarPeriod(period.endsAt, timeZone);
      assert.deepEqual([before.endsAt, after.startsAt], [period.startsAt, period.endsAt], 'neighbours touch');
      assert.ok(comparePeriodLabels(before.label, period.label) < 0 && comparePeriodLabels(period.label, after.label) < 0);
      assert.deepEqual(nextPeriod(before, timeZone), period, 'the next of the one before is the month');
    }),
    { numRuns: 300 },
  );
});

test('settlements, section 2, Period: the months of 1900 to 2100 follow one another without gap or overlap', () => {
  for (const timeZone of ZONES) {
    let period = calendar('1900-01-15T00:00:00Z', timeZone);
    const labels = [period.label];
    while (period.label !== '2100-12') {
      const next = nextPeriod(period, timeZone);
      assert.deepEqual(next, calendarPeriod(period.endsAt, timeZone));
      const hours = (next.endsAt.getTime() - next.startsAt.getTime()) / 3_600_000;
      assert.ok(hours > 28 * 24 - 26 && hours < 31 * 24 + 26, `${timeZone} ${next.label}: ${hours} h`);
      labels.push(next.label);
      period = next;
    }
    assert.equal(new Set(labels).size, 201 * 12);
    assert.deepEqual(labels, labels.toSorted());
  }
});

test('settlements, section 2, early close: the next period runs to the calendar end, labelled 2026-11-2, and so on', () => {
  const november = calendar('2026-11-20T00:00:00Z', 'Asia/Riyadh');
  const first = closedPeriod(november, new Date('2026-11-10T08:00:00.000Z'));
  assert.deepEqual(shown(first), ['2026-11', '2026-10-31T21:00:00.000Z', '2026-11-10T08:00:00.000Z']);
  const second = closedPeriod(nextPeriod(first, 'Asia/Riyadh'), new Date('2026-11-20T08:00:00.000Z'));
  assert.deepEqual(shown(second), ['2026-11-2', '2026-11-10T08:00:00.000Z', '2026-11-20T08:00:00.000Z']);
  const third = nextPeriod(second, 'Asia/Riyadh');
  assert.deepEqual(shown(third), ['2026-11-3', '2026-11-20T08:00:00.000Z', '2026-11-30T21:00:00.000Z']);
  assert.equal(nextPeriod(third, 'Asia/Riyadh').label, '2026-12');
});

test('settlements, section 2, close: from the end on a period is whole, and one that has not begun cannot be closed', () => {
  const november = calendar('2026-11-20T00:00:00Z', 'Asia/Riyadh');
  assert.equal(closedPeriod(november, november.endsAt), november);
  assert.equal(closedPeriod(november, closesAt(november)), november);
  assert.throws(() => closedPeriod(november, november.startsAt), RangeError);
  assert.equal(closesAt(november).toISOString(), '2026-11-30T21:05:00.000Z');
});

test('settlements, section 2: however often a partner closes early or changes its zone, periods tile time and labels rise', () => {
  const steps = fc.array(fc.record({ share: fc.double({ min: 0, max: 1.2, noNaN: true }), timeZone: zones }), { maxLength: 40 });
  fc.assert(
    fc.property(instants, zones, steps, (at, timeZone, drawn) => {
      let open = calendarPeriod(at, timeZone);
      for (const step of drawn) {
        const length = open.endsAt.getTime() - open.startsAt.getTime();
        const closed = closedPeriod(open, new Date(open.startsAt.getTime() + Math.max(1, Math.floor(length * step.share))));
        const next = nextPeriod(closed, step.timeZone);
        assert.deepEqual(next.startsAt, closed.endsAt);
        assert.ok(next.endsAt > next.startsAt, 'never empty');
        assert.ok(comparePeriodLabels(closed.label, next.label) < 0, `${closed.label} before ${next.label}`);
        open = next;
      }
    }),
    { numRuns: 300 },
  );
});

test('settlements, section 2, period_label: no period follows one whose label is of another form', () => {
  const november = calendar('2026-11-20T00:00:00Z', 'Asia/Riyadh');
  assert.equal(nextPeriod({ ...november, label: '2026-12-9' }, 'Asia/Riyadh').label, '2026-12-10');
  for (const label of ['', '2026', '2026-13', '2026-1', '2026-11-0', '2026-11-02', ' 2026-11'])
    assert.throws(() => nextPeriod({ ...november, label }, 'Asia/Riyadh'), RangeError, label);
});

test('settlements, section 2, period_timezone: only a named zone of the IANA database', () => {
  assert.equal(findTimeZone('asia/riyadh'), 'Asia/Riyadh');
  assert.equal(findTimeZone('UTC'), 'UTC');
  for (const name of ['', '+03:00', '-3', 'Riyadh', 'Asia/Nowhere', 'Asia/Riyadh ', '2026-11-20[Asia/Riyadh]'])
    assert.equal(findTimeZone(name), undefined, name);
});
