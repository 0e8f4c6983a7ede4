/** `partner-impact rehearse`: what a partner's engineer sees before production. */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { READINESS_CHECKS } from '../../src/domain/sandbox/readiness.ts';
import { answerProxy } from '../support/answer-proxy.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { commandLine, type Outcome } from '../support/command-line.ts';
import { ROOT } from '../support/document-blocks.ts';
import { PLAYS, verifyBy } from '../support/readiness-plays.ts';
import { testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV, roles: ['api', 'webhooks', 'schedule'] });
/** The command of the service, and that of the package for partners. */
const PROGRAMS = { 'partner-impact': join(ROOT, 'src/main.ts'), 'partner-impact-sdk': join(ROOT, 'sdk/src/command/main.ts') };
type Name = keyof typeof PROGRAMS;

function runProgram(name: Name, settings: Record<string, string>, args: readonly string[]): Promise<Outcome> {
  if (name === 'partner-impact') return commandLine(settings).run(args);
  const options = { env: { ...process.env, ...settings } };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAMS[name], ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

async function newEngineer(name: Name) {
  const { client, key } = await service.newPartner({ key: { permission: 'manage' } });
  const receiver = await WebhookReceiver.open();
  const settings = { BASE_URL: service.baseUrl, API_KEY: key.apiKey };
  const rehearse = (...args: string[]) => runProgram(name, settings, ['rehearse', '--url', receiver.url, ...args]);
  return { client, receiver, rehearse, apiKey: key.apiKey };
}

/** Makes the endpoint. @returns Its secret. */
async function added({ rehearse }: Awaited<ReturnType<typeof newEngineer>>): Promise<string> {
  const { code, stdout } = await rehearse();
  assert.equal(code, 1);
  return /whsec_\S+/.exec(stdout)?.[0] as string;
}

function leftIn({ stdout }: Outcome): string {
  const [, left = ''] = stdout.split('What is left to do:');
  return left;
}

/** The service stores evidence a moment after the answer that showed it, and a run may read its checks before that: then there is one more. */
async function rehearseUntilRecorded({ client, rehearse }: Awaited<ReturnType<typeof newEngineer>>, checks: readonly string[]) {
  const first = await rehearse();
  if (!checks.some((check) => leftIn(first).includes(`${check}: `))) return first;
  await waitFor('evidence of what the receiver did', async () => {
    const { readiness } = (await client.call('/v1/sandbox/readiness')).body;
    const passed = readiness.checks.filter((each: { passed: boolean }) => each.passed);
    return checks.every((name) => passed.some(({ check }: { check: string }) => check === name));
  });
  return rehearse();
}

for (const name of Object.keys(PROGRAMS) as Name[]) describe(name, HANG_LIMIT, () => declareCases(name));

function declareCases(name: Name): void {
  test(
    'the afternoon: the endpoint is added, the receiver is tried, and the checks turn green as the program plays them',
    HANG_LIMIT,
    async () => {
      const engineer = await newEngineer(name);
      const { client, receiver, rehearse, apiKey } = engineer;
      verifyBy(receiver, await added(engineer));
      const ofTheReceiver = ['verified_signature', 'acknowledged_repeated_event'];
      const tried = await rehearseUntilRecorded(engineer, ofTheReceiver);
      assert.equal(tried.code, 1, tried.stderr);
      assert.ok(!tried.stdout.includes('NO'), tried.stdout);
      for (const fault of ['duplicate', 'reordered', 'bad_signature', 'stale', 'unknown_type', 'rotation'])
        assert.match(tried.stdout, new RegExp(` ${fault} .* yes`));
      const left = leftIn(tried);
      for (const name of Object.keys(READINESS_CHECKS))
        assert.equal(left.includes(`${name}: `), !ofTheReceiver.includes(name), name);
      const waits = rehearse('--wait', '1', '--json');
      for (const name of Object.keys(PLAYS) as (keyof typeof PLAYS)[])
        if (!ofTheReceiver.includes(name)) await PLAYS[name](client);
      const { code, stdout, stderr } = await waits;
      assert.equal(code, 0, stderr);
      // As many as it found left when it began to look, which depends on how fast it and the program are.
      const [, found = '0'] = /^(\d+) checks? (?:is|are) left/m.exec(stderr) ?? [];
      assert.equal(stderr.match(/^passed: [a-z_]+$/gm)?.length ?? 0, Number(found));
      const { readiness, samples } = JSON.parse(stdout);
      assert.deepEqual([readiness.ready, samples.length], [true, 11]);
      assert.ok(readiness.checks.every(({ evidence }: { evidence: object[] }) => evidence.length > 0));
      const last = await rehearse();
      assert.equal(last.code, 0);
      assert.match(last.stdout, /Every check is passed\.\n$/);
      for (const each of [tried, last, { stdout, stderr }]) assert.ok(!(each.stdout + each.stderr).includes(apiKey));
    },
  );

  test('--since leaves out what was played before, and one check that is left is one', HANG_LIMIT, async () => {
    const engineer = await newEngineer(name);
    const { client, receiver, apiKey } = engineer;
    const countPassed = async (query = '') => {
      const { checks } = (await client.call(`/v1/sandbox/readiness${query}`)).body.readiness;
      return checks.filter(({ passed }: { passed: boolean }) => passed).length;
    };
    verifyBy(receiver, await added(engineer));
    await PLAYS.exact_points(client);
    await waitFor('evidence', async () => (await countPassed()) === 1);
    const since = new Date().toISOString();
    for (const name of Object.keys(PLAYS) as (keyof typeof PLAYS)[]) if (name !== 'exact_points') await PLAYS[name](client);
    await waitFor('evidence of the others', async () => (await countPassed(`?since=${since}`)) === Object.keys(PLAYS).length - 1);
    const command = [PROGRAMS[name], 'rehearse', '--url', receiver.url, '--wait', '1', '--since', since];
    const child = spawn(process.execPath, command, { env: { ...process.env, BASE_URL: service.baseUrl, API_KEY: apiKey } });
    let [written, said] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (written += chunk));
    child.stderr.on('data', (chunk: Buffer) => (said += chunk));
    const exited = once(child, 'exit');
    await waitFor('what is left', async () => said.includes(' left. '));
    await PLAYS.exact_points(client);
    const [code] = await exited;
    assert.equal(code, 0, said);
    assert.match(said, /^1 check is left\. Waiting for your program/m);
    assert.match(written, /Every check is passed\.\n$/);
  });

  test('a receiver that takes everything is told which of it it had to refuse', HANG_LIMIT, async () => {
    const engineer = await newEngineer(name);
    await added(engineer);
    engineer.receiver.answerWith(200);
    const { code, stdout } = await engineer.rehearse();
    assert.equal(code, 1);
    const wrong = stdout.split('\n').filter((line) => line.includes(' NO'));
    assert.deepEqual(
      wrong.map((line) => /bad_signature|stale/.exec(line)?.[0]),
      ['bad_signature', 'stale'],
    );
    assert.match(stdout, /verified_signature: /);
  });

  describe('what cannot begin', HANG_LIMIT, () => {
    test('without an address, with a wrong key, with a key that may not manage: exit code 2, and no key in the message', async () => {
      const { key } = await service.newPartner();
      const wrongKey = key.apiKey.slice(0, -1) + (key.apiKey.endsWith('x') ? 'y' : 'x');
      for (const [settings, said] of [
        [{ BASE_URL: '', API_KEY: key.apiKey }, /Set BASE_URL/],
        [{ BASE_URL: service.baseUrl, API_KEY: '' }, /Set API_KEY/],
        [{ BASE_URL: service.baseUrl, API_KEY: wrongKey }, /401.*unauthorized/],
        [{ BASE_URL: service.baseUrl, API_KEY: key.apiKey }, /403.*forbidden/],
      ] as const) {
        const { code, stdout, stderr } = await runProgram(name, settings, ['rehearse', '--url', 'https://example.org/hook']);
        assert.deepEqual([code, stdout], [2, ''], stderr);
        assert.match(stderr, said);
        assert.ok(!stderr.includes(key.apiKey.slice(20)));
      }
    });

    test('nobody answers at the address: exit code 1', async () => {
      const { key } = await service.newPartner();
      const settings = { BASE_URL: 'http://127.0.0.1:9', API_KEY: key.apiKey };
      const { code, stderr } = await runProgram(name, settings, ['rehearse', '--url', 'https://example.org/hook']);
      assert.equal(code, 1);
      assert.match(stderr, /does not answer/);
    });

    test('an answer that is lost or broken is asked for again, with the same key: one endpoint, with its secret', async () => {
      const { key, client } = await service.newPartner({ key: { permission: 'manage' } });
      const receiver = await WebhookReceiver.open();
      const page = { status: 200, body: '<html>' };
      const { baseUrl, keys } = await answerProxy(service.baseUrl, ['none', 'none', 'answer_cut', 'answer_lost', page, 'none']);
      const settings = { BASE_URL: baseUrl, API_KEY: key.apiKey };
      const { stdout, stderr } = await runProgram(name, settings, ['rehearse', '--url', receiver.url]);
      assert.match(stdout, /whsec_\S+/, stderr);
      assert.equal(keys.size, 1);
      assert.equal((await client.call('/v1/webhook-endpoints')).body.webhook_endpoints.length, 1);
    });

    test('an endpoint that is disabled is named with what enables it', async () => {
      const engineer = await newEngineer(name);
      await added(engineer);
      const { body } = await engineer.client.call('/v1/webhook-endpoints');
      const [{ endpoint_id }] = body.webhook_endpoints;
      const path = `/v1/webhook-endpoints/${endpoint_id}`;
      assert.equal((await engineer.client.call(path, { method: 'PATCH', body: { status: 'disabled' } })).status, 200);
      const { code, stderr } = await engineer.rehearse();
      assert.equal(code, 2);
      assert.ok(stderr.includes(`PATCH ${path}`), stderr);
    });
  });
}

test('partner-impact: a receiver that has another secret is told of its secret last', HANG_LIMIT, async () => {
  const engineer = await newEngineer('partner-impact');
  await added(engineer);
  verifyBy(engineer.receiver, `whsec_${Buffer.alloc(32, 1).toString('base64')}`);
  const { code, stdout } = await engineer.rehearse();
  assert.equal(code, 1);
  assert.match(
    stdout,
    /answers of your receiver in this run: not right\.\n {2}It refused events .* secret of this endpoint\.\n$/,
  );
});

test('partner-impact: at the address another program answers with 200, and it is said: exit code 2', HANG_LIMIT, async () => {
  const { key } = await service.newPartner();
  for (const body of ['<!doctype html><title>Sign in</title>', '{}', '[]', 'null']) {
    const { baseUrl } = await answerProxy(service.baseUrl, [{ status: 200, body }]);
    const settings = { BASE_URL: baseUrl, API_KEY: key.apiKey };
    const { code, stdout, stderr } = await runProgram('partner-impact', settings, [
      'rehearse',
      '--url',
      'https://example.org/hook',
    ]);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, /answered 200\. The answer does not come from the service; check BASE_URL/);
  }
});
