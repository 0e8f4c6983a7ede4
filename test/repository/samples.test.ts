/** The samples of docs/samples are what the documents show, and do what they promise, against a real service and real faults. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { RECONCILIATION_VERDICTS } from '../../src/domain/reconciliations/line-verdict.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { approveFailure, draftFailure } from '../../src/operations/contributions/record-failure.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { UNCOUNTED } from '../../src/operations/quotas/storage-usage.ts';
import { keepCompletingReconciliations } from '../../src/schedule/complete-reconciliations.ts';
import { enrolled, OWNER, signedIn } from '../support/actor.ts';
import { answerProxy, type Fault } from '../support/answer-proxy.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { serviceUnderRules } from '../support/rules.ts';
import {
  confirmBySample,
  copySample,
  type Intent,
  LANGUAGES,
  type Language,
  needsLanguage,
  readSample,
  runSample,
  SAMPLES,
  type SampleRun,
} from '../support/sample.ts';
import { type TestPartner, testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const pages = globSync('docs/*.md', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));

for (const name of readdirSync(SAMPLES)) {
  test(`${name} stands in one document, word for word`, () => {
    const language = { ts: 'ts', py: 'python', go: 'go', php: 'php' }[name.split('.').at(-1) ?? ''];
    const block = `\`\`\`${language}\n${readSample(name)}\`\`\`\n`;
    assert.equal(pages.filter((page) => page.includes(block)).length, 1);
  });
}

const service = await serviceUnderRules();
const { database, usual, reviewed, bounded } = service;

function newIntent(change: Partial<Intent> = {}): Intent {
  const [partnerEventId, idempotencyKey, partnerOrderRef] = ['event', 'key', 'order'].map(uniqueId) as [string, string, string];
  return { partnerEventId, idempotencyKey, partnerOrderRef, points: 250n, ...change };
}

/** The body of an intent's confirmation, for what another program of the partner sent. */
function bodyOf({ partnerEventId, partnerOrderRef, points }: Intent) {
  return { partner_event_id: partnerEventId, partner_order_ref: partnerOrderRef, points };
}

test('confirm.ts says at once that points are text, as a driver of a database gives a bigint', async () => {
  const { confirmContribution } = await import('../../docs/samples/confirm.ts');
  const intent = { ...newIntent(), points: '250' as unknown as bigint };
  await assert.rejects(
    confirmContribution(intent, { withinMs: 0 }),
    /^TypeError: points must be a bigint: BigInt\(row\.points\)$/,
  );
});

// Most of a run is waiting for what the samples wait for.
describe('confirm', { concurrency: 2 }, () => {
  for (const language of LANGUAGES) describe(language, needsLanguage(language), () => declareCases(language));
});

function declareCases(language: Language): void {
  /** Runs the sample for a partner behind a proxy with these faults. */
  const confirm = async (
    intent: Intent,
    of: TestPartner = usual,
    faults: readonly Fault[] = [],
    run: Partial<SampleRun> = {},
  ) => {
    const proxy = await answerProxy(service.baseUrl, faults);
    const outcome = await confirmBySample(intent, { language, baseUrl: proxy.baseUrl, apiKey: of.key.apiKey, ...run });
    return { outcome, ...proxy };
  };

  const recordOf = async ({ partnerEventId }: Intent, { client }: TestPartner = usual) => {
    const { body } = await client.findByEvent(partnerEventId);
    return body.contribution;
  };

  const assertConfirmed = async (intent: Intent, { outcome, keys }: Awaited<ReturnType<typeof confirm>>) => {
    const { status, points, transaction_id } = await recordOf(intent);
    assert.deepEqual([status, points, outcome], ['confirmed', intent.points, ['confirmed', transaction_id]]);
    assert.deepEqual([...keys], [intent.idempotencyKey]);
  };

  describe('confirmed', { concurrency: 4 }, () => {
    for (const points of [1n, 9_007_199_254_740_993n, 2n ** 63n - 1n])
      test(`${points} points, sent and read with all their digits`, async () => {
        const intent = newIntent({ points });
        const run = await confirm(intent);
        await assertConfirmed(intent, run);
        assert.deepEqual(run.exchanges, ['POST 201']);
      });

    test('with its calculation, which the contribution is then linked to', async () => {
      const intent = newIntent();
      const estimated = await usual.client.estimate({ partner_order_ref: intent.partnerOrderRef });
      const { calculation_id: calculationId } = estimated.body.estimate;
      await confirm({ ...intent, calculationId });
      const { association } = (await usual.client.findByEvent(intent.partnerEventId)).body;
      assert.deepEqual([association.status, association.link.calculation_id], ['associated', calculationId]);
    });

    const losses: [string, Fault[], string[]][] = [
      ['the answer is lost', ['answer_lost'], ['POST answer_lost', 'GET 200']],
      ['the answer is cut in the middle', ['answer_cut'], ['POST answer_cut', 'GET 200']],
      ['the service answers, but never in time', ['silence'], ['POST silence', 'GET 200']],
      ['the answer comes a byte a second', ['trickle'], ['POST trickle', 'GET 200']],
      ['the request is lost', ['request_lost'], ['POST request_lost', 'GET 404', 'POST 201']],
      [
        'the request and a look-up are lost',
        ['request_lost', 'request_lost'],
        ['POST request_lost', 'GET request_lost', 'GET 404', 'POST 201'],
      ],
      [
        'the answer and that of the look-up are lost',
        ['answer_lost', 'answer_lost'],
        ['POST answer_lost', 'GET answer_lost', 'GET 200'],
      ],
      ['a gateway answers 502 in HTML', [{ status: 502, body: '<h1>502</h1>' }], ['POST 502', 'GET 404', 'POST 201']],
    ];
    for (const [title, faults, exchanges] of losses)
      test(`although ${title}`, async () => {
        const intent = newIntent();
        const run = await confirm(intent, usual, [...faults, 'none']);
        await assertConfirmed(intent, run);
        assert.deepEqual(run.exchanges, exchanges);
      });

    test('although the rate is used up: it waits as long as Retry-After says', async () => {
      const limited = await service.newPartner({ rates: { writesPerSecond: 1 } });
      const useUp = async () => {
        while ((await limited.client.confirm()).status !== 429);
      };
      // A new second may begin between the two.
      for (let first = ''; first !== 'POST 429'; ) {
        const intent = newIntent();
        const { outcome, exchanges } = await confirm(intent, limited, [useUp, 'none']);
        assert.deepEqual(outcome, ['confirmed', (await recordOf(intent, limited)).transaction_id]);
        first = exchanges[0] ?? '';
      }
    });

    test('by a run that is killed after sending, and another one with the same intent', async () => {
      const intent = newIntent();
      const proxy = await answerProxy(service.baseUrl, ['silence', 'none']);
      const [kill, given] = [new AbortController(), { language, baseUrl: proxy.baseUrl, apiKey: usual.key.apiKey }];
      const killed = assert.rejects(confirmBySample(intent, given, kill.signal));
      await waitFor('record of the contribution', () => recordOf(intent));
      kill.abort();
      await killed;
      const outcome = await confirmBySample(intent, { ...given, wasSent: true });
      assert.deepEqual(outcome, ['confirmed', (await recordOf(intent)).transaction_id]);
      assert.equal(proxy.exchanges.at(-1), 'GET 200');
    });

    test('by two runs of one intent at the same time, as one contribution', async () => {
      const intent = newIntent();
      const runs = await Promise.all([confirm(intent), confirm(intent, usual, ['answer_lost', 'none'])]);
      for (const run of runs) await assertConfirmed(intent, run);
    });

    test('although another program of the partner confirmed the event under another key', async () => {
      const intent = newIntent();
      const { contribution } = (await usual.client.confirm(bodyOf(intent))).body;
      assert.deepEqual((await confirm(intent)).outcome, ['confirmed', contribution.transaction_id]);
    });
  });

  describe('pending and failed', { concurrency: 4 }, () => {
    const decide = { confirmed: confirmPendingContribution, failed: failPendingContribution };
    for (const end of ['confirmed', 'failed'] as const)
      test(`pending until an operator decides, then ${end}, whichever way it asks`, async () => {
        const intent = newIntent({ points: 1_000n });
        const { outcome, exchanges } = await confirm(intent, reviewed);
        const transactionId = (await recordOf(intent, reviewed)).transaction_id;
        assert.deepEqual([outcome, exchanges], [['pending', transactionId], ['POST 202']]);
        await decide[end](database, signedIn('operator'), { partnerId: reviewed.partner.partnerId, transactionId }, 'test');
        for (const wasSent of [true, false])
          assert.deepEqual((await confirm(intent, reviewed, [], { wasSent })).outcome, [end, transactionId]);
      });

    test('failed is believed of the record alone: not when the look-up does not get through', async () => {
      const intent = newIntent({ points: 1_000n });
      await confirm(intent, reviewed);
      const transactionId = (await recordOf(intent, reviewed)).transaction_id;
      const id = { partnerId: reviewed.partner.partnerId, transactionId };
      await failPendingContribution(database, signedIn('operator'), id, 'test');
      const { outcome, exchanges } = await confirm(intent, reviewed, ['none', 'request_lost'], { withinSeconds: 1 });
      assert.deepEqual(
        [outcome, exchanges],
        [
          ['unknown', 'no_answer'],
          ['POST 422', 'GET request_lost'],
        ],
      );
    });

    test('refused out of bounds, then failed once two operators have recorded it so', async () => {
      const { partnerId } = bounded.partner;
      const intent = newIntent({ points: 1_001n });
      assert.deepEqual((await confirm(intent, bounded)).outcome, ['refused', 'invalid_point_amount']);
      const never = { partnerId, ...intent, reason: 'out of bounds' };
      const [operator, approver] = await enrolled(database, 'operator', 'approver');
      const { failureId } = await draftFailure(database, operator, never);
      await approveFailure(database, approver, { partnerId, failureId });
      const { transaction_id } = await recordOf(intent, bounded);
      for (const wasSent of [true, false])
        assert.deepEqual((await confirm(intent, bounded, [], { wasSent })).outcome, ['failed', transaction_id]);
    });
  });

  describe('refused, for a person', { concurrency: 4 }, () => {
    const assertRefused = async (
      code: string,
      intent: Intent,
      of: TestPartner,
      exchanges: string[],
      run: Partial<SampleRun> = {},
    ) => {
      const before = await recordOf(intent, of);
      const made = await confirm(intent, of, [], run);
      assert.deepEqual([made.outcome, made.exchanges], [['refused', code], exchanges]);
      assert.deepEqual(await recordOf(intent, of), before);
    };

    test('invalid_point_amount: out of bounds', async () =>
      assertRefused('invalid_point_amount', newIntent({ points: 1_001n }), bounded, ['POST 400', 'GET 404']));

    test('invalid_request: an event id that is too short', async () =>
      assertRefused('invalid_request', newIntent({ partnerEventId: 'short' }), usual, ['POST 400', 'GET 400']));

    test('idempotency_conflict: the key is of another event', async () => {
      const intent = newIntent();
      await usual.client.confirm({}, { 'idempotency-key': intent.idempotencyKey });
      await assertRefused('idempotency_conflict', intent, usual, ['POST 409', 'GET 404']);
    });

    test('partner_order_conflict: the order is of another event', async () => {
      const intent = newIntent();
      await usual.client.confirm({ partner_order_ref: intent.partnerOrderRef });
      await assertRefused('partner_order_conflict', intent, usual, ['POST 409', 'GET 404']);
    });

    for (const other of [{ points: 251n }, { partnerOrderRef: uniqueId('order') }])
      test(`the event is recorded with other ${Object.keys(other)}`, async () => {
        const intent = newIntent();
        await usual.client.confirm(bodyOf({ ...intent, ...other }));
        await assertRefused('recorded_with_other_values', intent, usual, ['POST 409', 'GET 200']);
      });
  });

  describe('unknown, for a later run', { concurrency: 4 }, () => {
    test('contribution_pending: the order is held by a pending contribution, for longer than this run', async () => {
      const held = newIntent({ points: 1_000n });
      await reviewed.client.confirm(bodyOf(held));
      const { outcome, exchanges } = await confirm(newIntent({ partnerOrderRef: held.partnerOrderRef }), reviewed);
      assert.deepEqual([outcome, exchanges], [['unknown', 'contribution_pending'], ['POST 409']]);
    });

    for (const wasSent of [false, true])
      test(`unauthorized: a wrong key ends it${wasSent ? ' when it looks up first' : ''}`, async () => {
        const apiKey = usual.key.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
        const { outcome, exchanges } = await confirm(newIntent(), usual, [], { apiKey, wasSent });
        assert.deepEqual([outcome, exchanges], [['unknown', 'unauthorized'], wasSent ? ['GET 401'] : ['POST 401', 'GET 401']]);
      });

    for (const before of ['answer_lost', 'none'] as const)
      test(`unauthorized: the key is revoked between the request (${before}) and the look-up`, async () => {
        const intent = newIntent();
        await usual.client.confirm({ partner_order_ref: intent.partnerOrderRef });
        const error = { code: 'unauthorized', retryable: false, message: '', correlation_id: 'corr_12345' };
        const { outcome } = await confirm(intent, usual, [before, { status: 401, body: JSON.stringify({ error }) }]);
        assert.deepEqual(outcome, ['unknown', 'unauthorized']);
      });

    test('forbidden: a key that may only read', async () => {
      const reader = await service.newPartner({ of: usual.partner, key: { permission: 'read_only' } });
      const { outcome, exchanges } = await confirm(newIntent(), reader);
      assert.deepEqual(
        [outcome, exchanges],
        [
          ['unknown', 'forbidden'],
          ['POST 403', 'GET 404'],
        ],
      );
    });

    test('invalid_request: a path that the service does not have', async () => {
      const run = { baseUrl: `${service.baseUrl}/elsewhere` };
      assert.deepEqual((await confirm(newIntent(), usual, [], run)).outcome, ['unknown', 'invalid_request']);
    });

    test('partner_suspended', async () => {
      const suspended = await service.newPartner();
      await suspendPartner(database, OWNER, suspended.partner.partnerId);
      const { outcome, exchanges } = await confirm(newIntent(), suspended);
      assert.deepEqual(
        [outcome, exchanges],
        [
          ['unknown', 'partner_suspended'],
          ['POST 403', 'GET 404'],
        ],
      );
    });

    test('nobody listens', async () => {
      const baseUrl = 'http://127.0.0.1:1';
      assert.deepEqual((await confirm(newIntent(), usual, [], { baseUrl, withinSeconds: 3 })).outcome, ['unknown', 'no_answer']);
    });

    const strangers: [string, Fault][] = [
      ['an error in HTML', { status: 404, body: '<h1>404</h1>' }],
      ['422 in the JSON of a gateway', { status: 422, body: '{"error":"failed"}' }],
      ['an error without retryable', { status: 422, body: '{"error":{"code":"contribution_final_failure"}}' }],
      ['an empty body', { status: 200, body: '' }],
      ['null', { status: 200, body: 'null' }],
      ['another object', { status: 200, body: '{"status":"failed"}' }],
      ['a contribution in an error', { status: 500, body: '{"contribution":{"status":"failed"}}' }],
      ['a redirection', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }],
      [
        'Retry-After for ever',
        { status: 503, headers: { 'retry-after': '9'.repeat(400) }, body: '{"error":{"code":"x","retryable":true}}' },
      ],
      [
        'Retry-After as many seconds as nanoseconds of int64 hold',
        { status: 503, headers: { 'retry-after': '9223372036' }, body: '{"error":{"code":"x","retryable":true}}' },
      ],
      [
        'Retry-After in words',
        { status: 503, headers: { 'retry-after': 'Sun' }, body: '{"error":{"code":"x","retryable":true}}' },
      ],
    ];
    test('no time is one attempt', async () => {
      const busy: Fault = { status: 503, body: '{"error":{"code":"x","retryable":true}}' };
      const { outcome, exchanges } = await confirm(newIntent(), usual, [busy, 'none'], { withinSeconds: 0 });
      assert.deepEqual([outcome, exchanges], [['unknown', 'x'], ['POST 503']]);
    });

    for (const [title, answer] of strangers)
      test(`what answers is not the service: ${title}`, async () => {
        const { outcome, exchanges } = await confirm(newIntent(), usual, [answer], { withinSeconds: 1 });
        assert.equal(outcome[0], 'unknown');
        assert.equal(exchanges.length, 1);
      });
  });

  test('503 while the database is gone: unknown after the time that it has, and confirmed by the next run', async () => {
    const proxy = await databaseProxy(service.databaseUrl);
    const { baseUrl } = await testService({ env: { DATABASE_URL: proxy.databaseUrl } });
    proxy.cut();
    const [intent, run] = [newIntent(), { language, baseUrl, apiKey: usual.key.apiKey }];
    assert.deepEqual(await confirmBySample(intent, { ...run, withinSeconds: 4 }), ['unknown', 'internal_service_unavailable']);
    const later = confirmBySample(intent, { ...run, wasSent: true });
    proxy.heal();
    assert.deepEqual(await later, ['confirmed', (await recordOf(intent)).transaction_id]);
  });

  test('a key that no header can carry is said at once', async () => {
    for (const apiKey of ['pi_sandbox_…', 'pi_sandbox_line\nend'])
      await assert.rejects(
        confirm(newIntent(), usual, [], { apiKey }),
        ({ message }: Error) =>
          /ended otherwise/.test(message) && message.includes('is not a key') && !message.includes('line\\nend'),
      );
  });
}

/** A service that asks to wait. */
const BUSY: Fault = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: '{"error":{"code":"internal_service_unavailable","message":"Ask again.","retryable":true}}',
};

/** A quota of the day is spent, or so. */
const TOMORROW: Fault = {
  status: 429,
  headers: { 'retry-after': '43200' },
  body: '{"error":{"code":"rate_limited","message":"Ask tomorrow.","retryable":true}}',
};

/** Something between partner and service that answers by itself. */
const GATEWAY: Fault = { status: 502, body: '<h1>502</h1>' };

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

for (const language of ['ts', 'py'] as const)
  describe(`estimate.${language}`, { ...needsLanguage(language), concurrency: 4 }, () => {
    const folder = temporaryFolder('sample');
    const { client, key } = usual;
    const run = (words: readonly string[], faults: readonly Fault[] = ['none']) =>
      runBehind(usual, faults, `estimate.${language}`, words, folder);
    const confirmed = async () => {
      const intent = newIntent();
      const { transaction_id } = (await client.confirm(bodyOf(intent))).body.contribution;
      return { order: intent.partnerOrderRef, transactionId: String(transaction_id) };
    };

    test('prints both texts and links the estimate; once more, it is the same one', async () => {
      const { order, transactionId } = await confirmed();
      const { stdout, stderr, status, exchanges } = await run([transactionId, order, '12.345', 'car_gasoline']);
      assert.deepEqual([stderr, status, exchanges], ['', 0, ['POST 201', 'POST 201']]);
      const { association } = (await client.get(transactionId)).body;
      const { calculation_id, distance_km } = association.link;
      assert.deepEqual([association.status, distance_km], ['associated', '12.345']);
      const { display } = (await client.getEstimate(calculation_id)).body.estimate;
      assert.equal(stdout, `${display.formatted_en}\n${display.formatted_ar}\nassociated ${calculation_id}\n`);
      assert.equal((await run([transactionId, order, '12.345', 'car_gasoline'])).stdout, stdout);
    });

    test('sends the same key again after a request to wait, a lost answer and a page of a gateway', async () => {
      const { order, transactionId } = await confirmed();
      const words = [transactionId, order, '1', 'car_gasoline'];
      const { status, exchanges, keys } = await run(words, [BUSY, 'answer_lost', GATEWAY, 'none']);
      assert.deepEqual([status, exchanges], [0, ['POST 503', 'POST answer_lost', 'POST 502', 'POST 201', 'POST 201']]);
      assert.deepEqual([...keys], [`estimate-${transactionId}-1`, `link-${transactionId}-1`]);
    });

    test('says at once that the service asks to wait for hours', async () => {
      const { order, transactionId } = await confirmed();
      const { stderr, status, exchanges } = await run([transactionId, order, '1', 'car_gasoline'], [BUSY, TOMORROW]);
      assert.deepEqual([stderr, status, exchanges], ['rate_limited: Ask tomorrow.\n', 1, ['POST 503', 'POST 429']]);
    });

    test('says what answers instead of the service, and that nobody does', async () => {
      const { order, transactionId } = await confirmed();
      const words = [transactionId, order, '1', 'car_gasoline'];
      const nobody = { baseUrl: 'http://127.0.0.1:1', apiKey: key.apiKey, folder };
      const [gateway, alone] = await Promise.all([run(words, [GATEWAY]), runSample(`estimate.${language}`, words, nobody)]);
      const { status, stderr, exchanges } = gateway;
      assert.deepEqual([status, stderr, exchanges], [1, 'no_answer: HTTP 502\n', Array(10).fill('POST 502')]);
      assert.equal(alone.status, 1);
      assert.match(alone.stderr, /^no_answer: .*\n$/);
    });

    test('a key that no header can carry is said without its text', async () => {
      const { order, transactionId } = await confirmed();
      const wrong = { baseUrl: service.baseUrl, apiKey: 'pi_sandbox_line\nend', folder };
      const { status, stderr } = await runSample(`estimate.${language}`, [transactionId, order, '1', 'car_gasoline'], wrong);
      assert.equal(status, 1);
      assert.match(stderr, /^API_KEY is not a key: .*\n$/);
      assert.ok(!stderr.includes('pi_sandbox'));
    });

    test('an estimate that has expired is not linked; a further attempt makes another', async () => {
      const { order, transactionId } = await confirmed();
      const words = [transactionId, order, '12.345', 'car_gasoline'];
      const fields = { partner_order_ref: order };
      const made = await client.estimate(fields, { 'idempotency-key': `estimate-${transactionId}-1` });
      const id = made.body.estimate.calculation_id;
      assert.equal((await client.post(`/v1/sandbox/emissions/estimates/${id}/expire`, undefined)).status, 201);
      const { status, stderr } = await run(words);
      assert.equal(status, 1);
      assert.match(stderr, /^estimate_expired: /);
      assert.equal((await client.get(transactionId)).body.association.status, 'not_requested');
      const again = await run([...words, '2']);
      assert.match(again.stdout, /^associated calc_\w+$/m);
      assert.ok(!again.stdout.includes(id));
    });

    test('a transaction that there is not, and a wrong key, are said', async () => {
      const words = [
        language === 'ts' ? 'txn_01M7Y4Q5C8C84CMB2AHCERDN11' : 'txn_01M7Y4Q5C8C84CMB2AHCERDN12',
        uniqueId('order'),
        '1',
        'car_gasoline',
      ];
      const unknown = await run(words);
      assert.deepEqual([unknown.status, /^\w+(?=: )/.exec(unknown.stderr)?.[0]], [1, 'contribution_not_found']);
      const apiKey = key.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
      const refused = await runSample(`estimate.${language}`, words, { baseUrl: service.baseUrl, apiKey, folder });
      assert.deepEqual([refused.status, refused.stdout], [1, '']);
      assert.match(refused.stderr, /^unauthorized: /);
    });
  });

for (const language of ['ts', 'py', 'php'] as const)
  describe(`month-end.${language}`, { ...needsLanguage(language), concurrency: 4 }, () => {
    const name = `month-end.${language}`;
    let stopCompleting = async () => {};
    before(() => {
      stopCompleting = keepCompletingReconciliations(service.database, UNCOUNTED, (error) => console.error(error));
    });
    after(() => stopCompleting());
    const points = 9_007_199_254_740_993n;

    /** A partner whose latest settlement is closed over one contribution, with its own list in a folder. */
    const closedMonth = async (listed: readonly { points: bigint }[] = [{ points }]) => {
      const [partner, folder, intent] = [await service.newPartner(), temporaryFolder('sample'), newIntent({ points })];
      const { client } = partner;
      const { transaction_id: transactionId } = (await client.confirm(bodyOf(intent))).body.contribution;
      const { settlement } = (await client.post('/v1/sandbox/settlements/close', undefined)).body;
      writeList(
        folder,
        listed.map((line) => ({ ...intent, points: line.points })),
      );
      const path = `/v1/settlements/${settlement.settlement_id}`;
      const acknowledged = async () => (await client.call(path)).body.settlement.acknowledgement.status;
      return { partner, folder, transactionId, settlement, acknowledged };
    };
    /** The lines of the statement that no list of contributions has. */
    const unlisted = (...figures: (string | number | bigint)[]) =>
      ['adjustment_count', 'adjustment_points', 'carried_in_points', 'carried_in_amount']
        .map((figure, index) => `${figure} ${figures[index] ?? '-'}\n`)
        .join('');
    const counted = (counts: Record<string, number>) =>
      [...RECONCILIATION_VERDICTS, 'malformed'].map((verdict) => `${verdict} ${counts[verdict] ?? 0}\n`).join('');

    test('keeps the statement, prints the counts with all digits, and accepts; once more, it is the same', async () => {
      const { partner, folder, settlement, acknowledged } = await closedMonth();
      const { stdout, stderr, status } = await runBehind(partner, [BUSY, 'answer_lost', GATEWAY, 'none'], name, [], folder);
      assert.deepEqual([stderr, status], ['', 0]);
      const head = `${settlement.period_label}: ${points} points are payable\n${unlisted(0, 0, 0)}`;
      assert.equal(stdout, `${head}${counted({ matched: 1 })}accepted\n`);
      assert.equal(sha256(readFileSync(join(folder, 'statement.csv'), 'utf8')), settlement.statement.csv_sha256);
      assert.equal(await acknowledged(), 'accepted');
      assert.equal((await runBehind(partner, ['none'], name, ['list.csv'], folder)).stdout, stdout);
    });

    test('the statement that it kept is a list as well', async () => {
      const { partner, folder } = await closedMonth();
      await runBehind(partner, ['none'], name, [], folder);
      const { stdout } = await runBehind(partner, ['none'], name, ['statement.csv'], folder);
      assert.ok(stdout.endsWith(`${counted({ matched: 1 })}accepted\n`), stdout);
    });

    test('a statement whose bytes differ is not kept, and nothing is compared or accepted', async () => {
      const { partner, folder, acknowledged } = await closedMonth();
      const other: Fault = { status: 200, headers: { 'content-type': 'text/csv' }, body: 'line_no\n' };
      const { stdout, stderr, status, exchanges } = await runBehind(partner, ['none', other, 'none'], name, [], folder);
      assert.deepEqual([stdout, status, exchanges], ['', 1, ['GET 200', 'GET 200']]);
      assert.match(stderr, /another SHA-256/);
      assert.deepEqual([existsSync(join(folder, 'statement.csv')), await acknowledged()], [false, 'pending']);
    });

    for (const [what, listed, counts] of [
      ['other points', [{ points: points - 1n }], { points_mismatch: 1 }],
      ['no line', [], { missing_in_partner_file: 1 }],
    ] as const)
      test(`a list with ${what} is not accepted`, async () => {
        const { partner, folder, acknowledged } = await closedMonth(listed);
        const { stdout, stderr, status } = await runBehind(partner, ['none'], name, [], folder);
        assert.equal(status, 1);
        assert.ok(stdout.endsWith(`points are payable\n${unlisted(0, 0, 0)}${counted(counts)}`), stdout);
        assert.match(stderr, /^Not accepted: .*\/reconciliations\/rec_\w+\/lines$/m);
        assert.equal(await acknowledged(), 'pending');
      });

    test('after the operator corrected what differed, a further attempt compares the same list anew, and accepts', async () => {
      const { partner, folder, transactionId, acknowledged } = await closedMonth([{ points: points - 1n }]);
      const { status, stdout } = await runBehind(partner, ['none'], name, [], folder);
      const adjustment = { transaction_id: transactionId, points_delta: -1, reason_code: 'partner_reporting_error' };
      assert.equal((await partner.client.post('/v1/sandbox/adjustments', adjustment)).status, 201);
      const again = await runBehind(partner, ['none'], name, ['list.csv'], folder);
      assert.deepEqual([status, again.status, again.stdout], [1, 1, stdout], 'the same attempt has the result of before');
      const { stdout: corrected } = await runBehind(partner, ['none'], name, ['list.csv', '2'], folder);
      assert.ok(corrected.endsWith(`${counted({ matched: 1 })}accepted\n`), corrected);
      assert.equal(await acknowledged(), 'accepted');
    });

    test('adjustments and what is carried in are for a person, who accepts; once more, without the word, it is the same', async () => {
      const { partner, folder, transactionId } = await closedMonth();
      const adjustment = { transaction_id: transactionId, points_delta: -100, reason_code: 'partner_reporting_error' };
      assert.equal((await partner.client.post('/v1/sandbox/adjustments', adjustment)).status, 201);
      // 100 points are taken back of 30 contributed ones, and 70 are carried into the next settlement.
      for (const [figures, payable] of [
        [[1, -100, 0], 0],
        [[0, 0, -70], 30],
      ] as const) {
        const intent = newIntent({ points: payable === 0 ? 30n : 100n });
        await partner.client.confirm(bodyOf(intent));
        const { settlement } = (await partner.client.post('/v1/sandbox/settlements/close', undefined)).body;
        writeList(folder, [intent]);
        const said = `${settlement.period_label}: ${payable} points are payable\n${unlisted(...figures)}${counted({ matched: 1 })}`;
        const acknowledged = async () =>
          (await partner.client.call(`/v1/settlements/${settlement.settlement_id}`)).body.settlement.acknowledgement.status;
        const stopped = await runBehind(partner, ['none'], name, [], folder);
        assert.deepEqual([stopped.stdout, stopped.status, await acknowledged()], [said, 1, 'pending']);
        assert.match(
          stopped.stderr,
          /^Not accepted: a list of contributions has no .* \(lines of the statement: 1\)\. Read them in statement\.csv\. .* list\.csv 1 accept\n$/,
        );
        const accepted = await runBehind(partner, ['none'], name, ['list.csv', '1', 'accept'], folder);
        assert.deepEqual([accepted.stdout, accepted.status, await acknowledged()], [`${said}accepted\n`, 0, 'accepted']);
        const again = await runBehind(partner, ['none'], name, [], folder);
        assert.deepEqual([again.stdout, again.stderr, again.status], [`${said}accepted\n`, '', 0]);
      }
    });

    test('a settlement that was accepted by hand is compared, and the program ends with 0', async () => {
      const { partner, folder, settlement } = await closedMonth();
      const path = `/v1/settlements/${settlement.settlement_id}/acknowledgement`;
      assert.equal((await partner.client.post(path, { status: 'accepted', reference: 'payment-1' })).status, 201);
      const { stdout, stderr, status } = await runBehind(partner, ['none'], name, [], folder);
      assert.deepEqual([stderr, status], ['', 0]);
      assert.ok(stdout.endsWith(`${counted({ matched: 1 })}accepted\n`), stdout);
    });

    test('a list with a line of another settlement, and no difference, is accepted', async () => {
      const { partner, folder } = await closedMonth();
      const ofBefore = readFileSync(join(folder, 'list.csv'), 'utf8');
      const intent = newIntent({ points: 30n });
      await partner.client.confirm(bodyOf(intent));
      const { settlement } = (await partner.client.post('/v1/sandbox/settlements/close', undefined)).body;
      writeFileSync(join(folder, 'list.csv'), `${ofBefore}${intent.partnerEventId},${intent.partnerOrderRef},30\n`);
      const { stdout, stderr, status } = await runBehind(partner, ['none'], name, [], folder);
      assert.deepEqual([stderr, status], ['', 0]);
      assert.ok(stdout.endsWith(`${counted({ matched: 1, other_settlement: 1 })}accepted\n`), stdout);
      const { acknowledgement } = (await partner.client.call(`/v1/settlements/${settlement.settlement_id}`)).body.settlement;
      assert.equal(acknowledgement.status, 'accepted');
    });

    test('of a settlement that is accepted already, a list that differs is not said to be refused, and the program ends with 1', async () => {
      const { partner, folder, settlement } = await closedMonth([{ points: points - 1n }]);
      const path = `/v1/settlements/${settlement.settlement_id}/acknowledgement`;
      assert.equal((await partner.client.post(path, { status: 'accepted' })).status, 201);
      const { stderr, status } = await runBehind(partner, ['none'], name, [], folder);
      assert.equal(status, 1);
      assert.match(stderr, /^Accepted before, but the list differs: the lines are at .*\/reconciliations\/rec_\w+\/lines$/m);
    });

    test('a list with other points is not accepted by the word of a person either', async () => {
      const { partner, folder, acknowledged } = await closedMonth([{ points: points - 1n }]);
      const { status, stderr } = await runBehind(partner, ['none'], name, ['list.csv', '1', 'accept'], folder);
      assert.deepEqual([status, await acknowledged()], [1, 'pending']);
      assert.match(stderr, /^Not accepted: the lines are at /);
    });

    test('a list has the 15 minutes in which the service takes it', HANG_LIMIT, async () => {
      const { partner, folder } = await closedMonth();
      // The 15 minutes are 5 seconds here. With the 5 minutes of everything else the program would hang on its first list.
      const scaled = (text: string) => text.replace(/\b900(_000)?\b/, (_whole, ms = '') => `5${ms}`);
      let lists = 0;
      const faultOf = (method: string) => (method !== 'POST' ? 'none' : lists++ === 0 ? 'silence' : TOMORROW);
      const { baseUrl } = await answerProxy(service.baseUrl, faultOf);
      const { stderr } = await runSample(copySample(name, folder, scaled), [], { baseUrl, apiKey: partner.key.apiKey, folder });
      assert.deepEqual([lists > 1, stderr], [true, 'rate_limited: Ask tomorrow.\n']);
    });

    test('a key that no header can carry is said without its text', async () => {
      const { partner, folder } = await closedMonth();
      const wrong = { baseUrl: service.baseUrl, apiKey: `${partner.key.apiKey}\nX-Other: header`, folder };
      const { status, stdout, stderr } = await runSample(name, [], wrong);
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(stderr, /^API_KEY is not a key: .*\n$/);
      assert.ok(!stderr.includes('pi_sandbox'));
    });

    test('says at once that the service asks to wait for hours', async () => {
      const { partner, folder, acknowledged } = await closedMonth();
      const faults: Fault[] = ['none', 'none', TOMORROW];
      const { stderr, status, exchanges } = await runBehind(partner, faults, name, [], folder);
      assert.deepEqual([stderr, status, exchanges.at(-1)], ['rate_limited: Ask tomorrow.\n', 1, 'POST 429']);
      assert.equal(await acknowledged(), 'pending');
    });

    test('no settlement is closed', async () => {
      const [partner, folder] = [await service.newPartner(), temporaryFolder('sample')];
      writeFileSync(join(folder, 'list.csv'), '');
      const { stderr, status } = await runBehind(partner, ['none'], name, [], folder);
      assert.deepEqual([stderr, status], ['No settlement is closed.\n', 1]);
    });
  });

/** Writes `list.csv`. */
function writeList(folder: string, lines: readonly Intent[]): void {
  const rows = lines.map(({ partnerEventId, partnerOrderRef, points }) => `${partnerEventId},${partnerOrderRef},${points}\n`);
  writeFileSync(join(folder, 'list.csv'), `partner_event_id,partner_order_ref,points\n${rows.join('')}`);
}

/** Runs a program of docs/samples or examples for a partner behind a proxy with these faults. */
async function runBehind(of: TestPartner, faults: readonly Fault[], name: string, words: readonly string[], folder: string) {
  const proxy = await answerProxy(service.baseUrl, faults);
  const end = await runSample(name, words, { baseUrl: proxy.baseUrl, apiKey: of.key.apiKey, folder });
  return { ...end, ...proxy };
}
