/** What the settlements of a calendar month come to, and which of them a month names: every period in it (settlements, section 2). */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { newConfirmation } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';
import { closeNow, newSettledPartner, tools } from '../support/settlements.ts';

const service = await testService();
const { database } = service;
const V1 = '/operator/v1';
let viewer: SignedInOperator;
let month: string;

async function closedWith(points: readonly number[], using = tools(), of?: Awaited<ReturnType<typeof newSettledPartner>>) {
  const partner = of ?? (await newSettledPartner(service));
  for (const each of points) await partner.client.confirm({ ...newConfirmation(), points: each });
  const { closed } = await closeNow(database, partner.partnerId, using);
  return { ...partner, closed };
}

let first: Awaited<ReturnType<typeof closedWith>>;
let second: Awaited<ReturnType<typeof closedWith>>;
before(async () => {
  viewer = await signedInOperator(service, 'viewer');
  first = await closedWith([100, 1], tools('0.005', 'SAR'));
  second = await closedWith([101], tools('0.005', 'SAR'), first);
  month = first.closed.period.label.slice(0, 7);
});

test('a month adds up what each settlement is billed, by currency, and counts the answers', async () => {
  const dinars = await closedWith([10], tools('0.5', 'KWD'));
  await closedWith([7]);
  await dinars.client.post(`/v1/settlements/${dinars.closed.settlementId}/acknowledgement`, { status: 'accepted' });
  await first.client.post(`/v1/settlements/${first.closed.settlementId}/acknowledgement`, { status: 'disputed' });
  const { status, body } = await viewer.get(`${V1}/months/${month}/settlements`);
  assert.equal(status, 200);
  const { as_of, ...figures } = body;
  assert.ok(Date.parse(as_of));
  const of = (currency: string | null, minor_units: number | null, ...rest: [number, string, string, string | null]) => {
    const [settlement_count, contribution_count, points, payable_amount] = rest;
    const counts = { settlement_count, contribution_count, net_points: points, payable_points: points };
    return { currency, minor_units, ...counts, payable_amount, carried_out_points: '0' };
  };
  assert.deepEqual(figures, {
    month,
    open_count: '3',
    closed_count: 4,
    pending_count: 2,
    accepted_count: 1,
    disputed_count: 1,
    totals: [
      of('KWD', 3, 1, '1', '10', '5.000'),
      // 0.505 is billed as 0.51, twice.
      of('SAR', 2, 2, '3', '202', '1.02'),
      of(null, null, 1, '1', '7', null),
    ],
  });
});

test('another month has none, and what is no month is not found', async () => {
  const { body } = await viewer.get(`${V1}/months/2020-01/settlements`);
  assert.deepEqual([body.open_count, body.closed_count, body.totals], ['0', 0, []]);
  assert.equal((await viewer.get(`${V1}/months/2026-13/settlements`)).status, 404);
});

for (const sort of ['-closed_at', 'net_points', '-payable_amount'])
  test(`a month lists every period in it, and a period itself alone: by ${sort}`, async () => {
    const idsOf = async (path: string, period: string) => {
      const { body } = await viewer.get(`${V1}/${path}&period=${period}&limit=200`);
      const ids = body.settlements.map(({ settlement_id }: { settlement_id: string }) => settlement_id);
      return [first.closed, second.closed].map(({ settlementId }) => ids.includes(settlementId));
    };
    const list = `settlements?sort=${sort}&currency=SAR`;
    assert.deepEqual(await idsOf(list, month), [true, true]);
    assert.deepEqual(await idsOf(list, second.closed.period.label), [false, true]);
    assert.deepEqual(await idsOf(list, '2020-01'), [false, false]);
    const unpooled = `unpooled-settlements?partner_id=${first.partnerId}`;
    assert.deepEqual(await idsOf(unpooled, month), [true, true]);
    assert.deepEqual(await idsOf(unpooled, second.closed.period.label), [false, true]);
  });

test('settlement totals prints the same', HANG_LIMIT, async () => {
  const { run, runJson } = commandLine({ DATABASE_URL: service.databaseUrl });
  const { body } = await viewer.get(`${V1}/months/${month}/settlements`);
  const { as_of: _, ...shown } = body;
  const { as_of: __, ...printed } = await runJson('settlement', 'totals', '--month', month);
  const asText = (value: unknown) => JSON.stringify(value, (_name, each) => (typeof each === 'number' ? String(each) : each));
  assert.equal(asText(printed), asText(shown));
  const table = (await run(['settlement', 'totals', '--month', month])).stdout;
  assert.match(table, /^closed +4$/m);
  assert.match(table, /^SAR +2 +3 +202 +202 +1\.02$/m);
  assert.match((await run(['settlement', 'totals', '--month', '2020-01'])).stdout, /No settlement of 2020-01 is closed\./);
  const wrong = await run(['settlement', 'totals', '--month', '2026-13']);
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /--month.*It must be a calendar month, such as 2026-11\./);
});

test('a list by currency has what the month counts under it: not what has points without a value', async () => {
  const [worthless, empty] = [await closedWith([7]), await closedWith([])];
  const idsOf = async (sort: string) => {
    const { body } = await viewer.get(`${V1}/settlements?sort=${sort}&currency=SAR&period=${month}&limit=200`);
    const shown = body.settlements as { settlement_id: string; currency: string }[];
    assert.deepEqual([...new Set(shown.map(({ currency }) => currency))], ['SAR'], sort);
    return [first, worthless, empty].map(({ closed }) => shown.some((each) => each.settlement_id === closed.settlementId));
  };
  for (const sort of ['closed_at', 'net_points', 'payable_amount', '-payable_amount'])
    assert.deepEqual(await idsOf(sort), [true, false, true], sort);
});
