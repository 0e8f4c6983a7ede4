/** A change that happens once, whose answer cannot be kept, or whose process dies before it is: the same key makes it once, in the end. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import pg from 'pg';
import { freePort } from '../../reliability/harness/free-port.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { openSealKeys } from '../../src/domain/settlements/settlement-seal.ts';
import { removeShownSecrets } from '../../src/operations/access/remove-shown-secrets.ts';
import { verifyEverything } from '../../src/operations/verification/verify-everything.ts';
import { ROUTES } from '../../src/operator-api/routes.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { type OperatorAnswer, OperatorClient, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { spawnService, testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const THRESHOLD = 1_000n;
const service = await testService({ env: WEBHOOK_ENV, rulesOf: () => ({ ...DEFAULT_RULES, reviewThreshold: THRESHOLD }) });
const { database } = service;
const V1 = '/operator/v1';

let [operator, approver, admin]: SignedInOperator[] = [];
before(async () => {
  operator = await signedInOperator(service, 'operator');
  approver = await signedInOperator(service, 'approver');
  admin = await signedInOperator(service, 'admin');
});
const as = (person: SignedInOperator | undefined) => person as SignedInOperator;

interface Play {
  /** @returns Who asks, and for what. */
  prepare(): Promise<readonly [person: SignedInOperator, path: string, body?: object | undefined, method?: 'DELETE']>;
  /** What the audit says that was done, once. */
  readonly action: string;
  /** Whether the change and its answer are one transaction; otherwise what takes over finds what was done. */
  readonly isAtomic?: false;
}

const newPartner = async () => (await service.newPartner()).partner.partnerId;
const made = async (person: SignedInOperator | undefined, path: string, body: object | undefined, asked: string) => {
  const answer = await as(person).postOnce(`${V1}${path}`, body);
  assert.equal(answer.status, 200, answer.text);
  return asked.split('.').reduce((found, name) => found[name], answer.body) as string;
};
const newKey = async (partnerId: string) =>
  made(operator, `/partners/${partnerId}/keys`, { name: 'web', permission: 'read_write' }, 'key.key_id');
const newOperator = () => made(admin, '/operators', { name: 'Amal', role: 'viewer' }, 'operator.operator_id');
const newEndpoint = async () => {
  const partnerId = await newPartner();
  const { url } = await WebhookReceiver.open();
  const id = await made(operator, '/endpoints', { partner_id: partnerId, url }, 'endpoint.endpoint_id');
  return `${V1}/partners/${partnerId}/endpoints/${id}`;
};
const failure = async () => ({
  partner_id: await newPartner(),
  partner_event_id: uniqueId('event'),
  partner_order_ref: uniqueId('order'),
  points: '250',
  reason: 'the shop lost it',
});
const newFailure = async () => {
  const event = await failure();
  return `${V1}/partners/${event.partner_id}/failures/${await made(operator, '/failures', event, 'failure_id')}`;
};
const rule = (version: string) => ({
  kind: 'contribution_rule',
  version,
  points_min: '1',
  points_max: '5000',
  starts_at: new Date(Date.now() + 3_600_000).toISOString(),
});
const correction = async () => {
  const { partner, client } = await service.newPartner();
  const { transaction_id } = (await client.confirm({ points: 250 })).body.contribution;
  return {
    partner_id: partner.partnerId,
    transaction_id,
    points_delta: '-50',
    reason_code: 'operator_error',
    reason_en: 'Two',
    reason_ar: 'اثنان',
  };
};
const newAdjustment = async () => {
  const wanted = await correction();
  const id = await made(operator, '/adjustments', wanted, 'adjustment.adjustment_id');
  return `/partners/${wanted.partner_id}/adjustments/${id}`;
};

const batch = () => ({ name: uniqueId('Batch'), quantity: '3' });
const newBatch = () => made(operator, '/impact-batches', batch(), 'impact_batch_id');
const newProject = () => made(operator, '/projects', { name_en: 'Coast', name_ar: 'الساحل', country: 'SA' }, 'project_id');
const openSettlement = async () => {
  const { partner, client } = await service.newPartner();
  await client.confirm();
  const path = `/partners/${partner.partnerId}/settlements`;
  const [open] = (await as(approver).get(`${V1}${path}`)).body.settlements;
  return { partnerId: partner.partnerId, client, settlementId: open.settlement_id, path: `${path}/${open.settlement_id}` };
};
const newClosed = async () => {
  const { partnerId, path, settlementId } = await openSettlement();
  await made(approver, `${path}/close`, undefined, 'settlement_id');
  return { partner_id: partnerId, settlement_ids: [settlementId] };
};
const newPooled = async () => {
  const id = await newBatch();
  await made(operator, `/impact-batches/${id}/settlements`, await newClosed(), 'partner_id');
  return id;
};
const newAllocated = async () => {
  const id = await newPooled();
  return made(operator, `/impact-batches/${id}/advance`, { to: 'allocated', project_id: await newProject() }, 'impact_batch_id');
};

const PLAYS: Readonly<Record<string, Play>> = {
  createPartner: { prepare: async () => [as(operator), '/partners', { name: uniqueId('Shop') }], action: 'partner.create' },
  issueApiKey: {
    prepare: async () => [as(operator), `/partners/${await newPartner()}/keys`, { name: 'web', permission: 'read_write' }],
    action: 'key.issue',
  },
  rotateApiKey: {
    prepare: async () => [as(operator), `/keys/${await newKey(await newPartner())}/rotate`],
    action: 'key.rotate',
  },
  revokeApiKey: {
    prepare: async () => [as(operator), `/keys/${await newKey(await newPartner())}/revoke`],
    action: 'key.revoke',
  },
  createOperator: { prepare: async () => [as(admin), '/operators', { name: 'Noor', role: 'viewer' }], action: 'operator.create' },
  resetSignIn: {
    prepare: async () => [as(admin), `/operators/${await newOperator()}/reset-sign-in`],
    action: 'operator.reset-sign-in',
  },
  disableOperator: { prepare: async () => [as(admin), `/operators/${await newOperator()}/disable`], action: 'operator.disable' },
  createRule: { prepare: async () => [as(admin), '/rules', rule(uniqueId('rule'))], action: 'rule.create' },
  withdrawRule: {
    prepare: async () => {
      const version = await made(admin, '/rules', rule(uniqueId('rule')), 'version');
      return [as(admin), `/rules/contribution_rule/${version}/withdraw`];
    },
    action: 'rule.withdraw',
  },
  draftFailure: { prepare: async () => [as(operator), '/failures', await failure()], action: 'failure.draft' },
  approveFailure: { prepare: async () => [as(approver), `${await newFailure()}/approve`], action: 'failure.approve' },
  rejectFailure: { prepare: async () => [as(approver), `${await newFailure()}/reject`], action: 'failure.reject' },
  addEndpoint: {
    prepare: async () => [
      as(operator),
      '/endpoints',
      { partner_id: await newPartner(), url: (await WebhookReceiver.open()).url },
    ],
    action: 'endpoint.add',
  },
  removeEndpoint: { prepare: async () => [as(operator), await newEndpoint(), undefined, 'DELETE'], action: 'endpoint.remove' },
  rotateEndpointSecret: {
    prepare: async () => [as(operator), `${await newEndpoint()}/rotate-secret`],
    action: 'endpoint.rotate-secret',
  },
  resendDelivery: {
    async prepare() {
      const path = await newEndpoint();
      const { client } = await service.newPartner({ of: (await partnerOf(path)) as never });
      await client.confirm();
      const list = `${path.replace(/\/endpoints.*/, '')}/deliveries`;
      const [delivery] = await waitFor('a delivery', async () => {
        const { body } = await as(operator).get(list);
        return body.deliveries.length > 0 && body.deliveries;
      });
      return [as(operator), `${list}/${delivery.delivery_id}/resend`];
    },
    action: 'delivery.resend',
  },
  createProject: {
    prepare: async () => [as(operator), '/projects', { name_en: uniqueId('Coast'), name_ar: 'الساحل', country: 'SA' }],
    action: 'project.create',
  },
  createImpactBatch: { prepare: async () => [as(operator), '/impact-batches', batch()], action: 'impact-batch.create' },
  poolSettlements: {
    prepare: async () => [as(operator), `/impact-batches/${await newBatch()}/settlements`, await newClosed()],
    action: 'impact-batch.add',
  },
  advanceImpactBatch: {
    async prepare() {
      const id = await newPooled();
      return [as(operator), `/impact-batches/${id}/advance`, { to: 'allocated', project_id: await newProject() }];
    },
    action: 'impact-batch.advance',
  },
  delayImpactBatch: {
    prepare: async () => [as(operator), `/impact-batches/${await newAllocated()}/delay`, { expected_delivery_period: '2031-Q2' }],
    action: 'impact-batch.delay',
  },
  reallocateImpactBatch: {
    prepare: async () => [as(operator), `/impact-batches/${await newAllocated()}/reallocate`, { project_id: await newProject() }],
    action: 'impact-batch.reallocate',
  },
  correctImpactBatch: {
    prepare: async () => [as(operator), `/impact-batches/${await newPooled()}/correct`, { quantity: '4' }],
    action: 'impact-batch.correct',
  },
  draftAdjustment: {
    prepare: async () => [as(operator), '/adjustments', await correction()],
    action: 'adjustment.draft',
    isAtomic: false,
  },
  approveAdjustment: {
    prepare: async () => [as(approver), `${await newAdjustment()}/approve`],
    action: 'adjustment.approve',
    isAtomic: false,
  },
  postAdjustment: {
    async prepare() {
      const path = await newAdjustment();
      await made(approver, `${path}/approve`, undefined, 'adjustment');
      return [as(operator), `${path}/post`];
    },
    action: 'adjustment.post',
    isAtomic: false,
  },
  rejectAdjustment: {
    prepare: async () => [as(approver), `${await newAdjustment()}/reject`, { reason: 'not so' }],
    action: 'adjustment.reject',
    isAtomic: false,
  },
  closeSettlement: {
    async prepare() {
      const { path } = await openSettlement();
      return [as(approver), `${path}/close`];
    },
    action: 'settlement.close',
    isAtomic: false,
  },
  recordDisputeReply: {
    async prepare() {
      const { client, path, settlementId } = await openSettlement();
      await made(approver, `${path}/close`, undefined, 'settlement_id');
      await client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status: 'disputed' });
      return [as(operator), `${path}/replies`, { text: 'Order 1 was counted once.' }];
    },
    action: 'dispute.reply',
  },
  decideReviews: {
    async prepare() {
      const { partner, client } = await service.newPartner();
      const { transaction_id } = (await client.confirm({ points: THRESHOLD })).body.contribution;
      const contributions = [{ partner_id: partner.partnerId, transaction_id }];
      return [as(operator), '/reviews/decisions', { decision: 'confirm', reason: 'known', contributions }];
    },
    action: 'review.confirm',
    isAtomic: false,
  },
};

/** The first three may be repeated: what is sent again is no longer exhausted, a confirmation has a key of its own, and a job does its work once. The others are made as an advance is. */
const ELSEWHERE = ['recoverDeliveries', 'sendTestConfirmation', 'runJob', 'verifyImpactBatch', 'addEvidence'];

async function partnerOf(path: string): Promise<unknown> {
  const [, partnerId] = /partners\/(\w+)/.exec(path) ?? [];
  const { rows } = await database.pool.query('select partner_id as "partnerId" from partner where partner_id = $1', [partnerId]);
  return rows[0];
}

const REFUSE = `
  create function refuse_answer() returns trigger language plpgsql as $$ begin
    if new.answer is not null then raise exception 'no answer is kept'; end if;
    return new;
  end $$;
  create trigger refuse_answer before update on keyed_answer for each row execute function refuse_answer()`;

/** As if the process that claimed had died a minute ago. */
const LEFT = "update keyed_answer set claimed_at = claimed_at - interval '61 seconds' where answer is null";

test('every operation that happens once has its play', () => {
  const once = ROUTES.filter(({ isFinal }) => isFinal).map(({ operation }) => operation);
  assert.deepEqual(once.toSorted(), [...Object.keys(PLAYS), ...ELSEWHERE].toSorted());
});

describe('an answer that cannot be kept', HANG_LIMIT, () => {
  for (const [operation, { prepare, action, isAtomic = true }] of Object.entries(PLAYS))
    test(`${operation}: ${isAtomic ? 'nothing is changed, and then once' : 'what was changed is found, and not changed again'}`, async () => {
      const [person, path, body, method = 'POST'] = await prepare();
      const key = uniqueId('key');
      const ask = (): Promise<OperatorAnswer> =>
        person.send(method, path.startsWith(V1) ? path : `${V1}${path}`, { body, headers: { 'idempotency-key': key } });
      const done = async () => {
        const { rows } = await database.pool.query(
          'select count(*)::int as count from audit_entry where action = $1 and operator_id = $2',
          [action, person.operatorId],
        );
        return rows[0].count as number;
      };
      const before = await done();
      await database.pool.query(REFUSE);
      const refused = await ask();
      await database.pool.query('drop function refuse_answer cascade');
      assert.equal(refused.status, 503, refused.text);
      assert.equal((await done()) - before, isAtomic ? 0 : 1);
      // A change that took itself back leaves its key free; any other work is taken over.
      assert.equal((await database.pool.query(LEFT)).rowCount, isAtomic ? 0 : 1);
      const answers = await Promise.all([ask(), ask(), ask()]);
      for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]?.text]);
      assert.equal((await done()) - before, 1);
      const replayed = await ask();
      assert.deepEqual([replayed.text, replayed.headers['idempotent-replayed']], [answers[0]?.text, 'true']);
    });

  test('the books are right', async () => {
    const parts = await Array.fromAsync(verifyEverything(database, openSealKeys(database.auditKeys)));
    assert.deepEqual(
      parts.flatMap(({ problems }) => problems),
      [],
    );
  });
});

describe('an answer that tells a secret', HANG_LIMIT, () => {
  for (const { operation } of ROUTES.filter(({ ifSecretIsLost }) => ifSecretIsLost))
    test(`${operation}: is given again for a day; then no key opens it, and a repetition says what to do`, async () => {
      const { prepare, action } = PLAYS[operation] as Play;
      const [person, path, body] = await prepare();
      const key = uniqueId('key');
      const ask = () => person.postOnce(path.startsWith(V1) ? path : `${V1}${path}`, body, key);
      const kept = async () => {
        const { rows } = await database.pool.query(
          `select answer, (select count(*)::int from audit_entry where action = $2 and operator_id = $3) as done
            from keyed_answer where idempotency_key = $1`,
          [key, action, person.operatorId],
        );
        return rows[0] as { readonly answer: string; readonly done: number };
      };
      const removeSecrets = () => removeShownSecrets(database, new AbortController().signal);
      const first = await ask();
      assert.equal(first.status, 200, first.text);
      assert.equal(await removeSecrets(), 0);
      assert.equal((await ask()).text, first.text);
      const { answer, done } = await kept();
      assert.match(answer, /^v1\./);
      await database.pool.query(
        "update keyed_answer set claimed_at = claimed_at - interval '25 hours' where idempotency_key = $1",
        [key],
      );
      assert.equal(await removeSecrets(), 1);
      assert.deepEqual(await kept(), { answer: 'removed', done });
      const { status, body: late } = await ask();
      assert.deepEqual([status, late.error.code, late.error.retryable], [400, 'invalid_request', false]);
      const [{ field, code, message }] = late.error.details;
      assert.deepEqual([field, code], ['Idempotency-Key', 'not_possible']);
      assert.match(message, /^This request was carried out before, and the secret of its answer can no longer be shown\. If /);
      assert.equal((await kept()).done, done, 'It is not carried out again.');
    });
});

const LOCK = 20_812;
const HOLD = `
  create function hold_answer() returns trigger language plpgsql as $$ begin
    if new.answer is not null then perform pg_advisory_xact_lock(${LOCK}); end if;
    return new;
  end $$;
  create trigger hold_answer before update on keyed_answer for each row execute function hold_answer()`;
const WAITING = "from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";

test('a process that is killed before the answer is kept leaves no partner, no key and no operator behind', async () => {
  const internalPort = await freePort();
  const victim = await spawnService(service.databaseUrl, { ...WEBHOOK_ENV, OPERATIONS_PORT: String(internalPort) });
  const partnerId = await newPartner();
  const plays: [SignedInOperator, string, object][] = [
    [as(operator), '/partners', { name: 'Killed shop' }],
    [as(operator), `/partners/${partnerId}/keys`, { name: 'killed', permission: 'read_write' }],
    [as(admin), '/operators', { name: 'Killed', role: 'viewer' }],
  ];
  const asked = plays.map(([person, path, body]) => {
    const key = uniqueId('key');
    return (port: number) => {
      const client = Object.assign(new OperatorClient(port), { cookie: person.cookie, csrfToken: person.csrfToken });
      return client.postOnce(`${V1}${path}`, body, key);
    };
  });
  const count = async () => {
    const { rows } = await database.pool.query(`select (select count(*)::int from partner where name = 'Killed shop') as partners,
      (select count(*)::int from api_key where name = 'killed') as keys,
      (select count(*)::int from operator where name = 'Killed') as operators`);
    return rows[0];
  };
  const holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
  await holder.query(`${HOLD}; select pg_advisory_lock(${LOCK})`);
  const lost = asked.map((ask) => assert.rejects(ask(internalPort)));
  await waitFor('process that keeps an answer', async () => (await holder.query(`select ${WAITING}`)).rowCount === 1);
  await victim.end('SIGKILL');
  await Promise.all(lost);
  await holder.query(`select pg_terminate_backend(pid) ${WAITING}`);
  await holder.query('drop function hold_answer cascade');
  await holder.end();
  assert.deepEqual(await count(), { partners: 0, keys: 0, operators: 0 });
  await database.pool.query(LEFT);
  for (const ask of asked) {
    const [first, second] = await Promise.all([ask(service.operationsPort), ask(service.operationsPort)]);
    assert.deepEqual([first.status, second.text], [200, first.text], first.text);
  }
  assert.deepEqual(await count(), { partners: 1, keys: 1, operators: 1 });
});
