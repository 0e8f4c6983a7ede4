/** Verifiers that others publish, and those of our documents, accept what the service sends and refuse what it did not send. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { isFromService } from '../../docs/samples/verify.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { needsLanguage, readSample, SAMPLES } from '../support/sample.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV, roles: ['api', 'webhooks', 'schedule'] });
const { client, receiver, secret } = await newEndpoint(service, endpointTools(service.database));
const another = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

interface Delivery {
  readonly secret: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** What was sent by every way in which a body is made: an event of a confirmation, samples of every kind, one with Arabic, one of a rotation. */
async function sendEverything(): Promise<Delivery[]> {
  await client.confirm({ points: 9_007_199_254_740_993n });
  const kinds = [
    'impact.transaction.confirmed',
    'impact.transaction.adjusted',
    'settlement.created',
    'settlement.closed',
    'environmental.status.updated',
  ];
  for (const fault of [undefined, 'rotation'])
    for (const event_type of kinds) {
      const headers = { 'idempotency-key': uniqueId('key') };
      const { status } = await client.call('/v1/sandbox/events', { method: 'POST', headers, body: { event_type, fault } });
      assert.equal(status, 201);
    }
  await waitFor('event with a sequence', () =>
    receiver.arrived.some(({ event }) => event.sequence !== null && event.event_type === kinds[0]),
  );
  return receiver.arrived.map(({ headers, body }) => ({ secret, headers: headers as Record<string, string>, body }));
}

/** Each delivery with one thing changed. */
function forge({ headers, body }: Delivery): Delivery[] {
  const altered = Buffer.from(body);
  altered[altered.length - 2] = (altered.at(-2) ?? 0) ^ 1;
  const late = String(Number(headers['x-service-timestamp']) - 301);
  const unsigned = { 'x-service-signature': '', 'x-service-signature-next': '', 'webhook-signature': '' };
  return [
    { secret: another, headers, body },
    { secret, headers, body: altered },
    { secret, headers: { ...headers, 'x-service-timestamp': late, 'webhook-timestamp': late }, body },
    { secret, headers: { ...headers, ...unsigned }, body },
  ];
}

const sent = await sendEverything();
const forged = sent.flatMap(forge);

const asJson = () => JSON.stringify([...sent, ...forged].map((each) => ({ ...each, body: each.body.toString('base64') })));

function assertVerdicts(verdicts: readonly boolean[]): void {
  assert.ok(sent.length > 10 && sent.some(({ headers }) => headers['x-service-signature-next']));
  assert.deepEqual(verdicts, [...sent.map(() => true), ...forged.map(() => false)]);
}

function runPython(program: string): boolean[] {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  return JSON.parse(execFileSync('python3', ['-c', program], { input: asJson(), env, encoding: 'utf8' }));
}

function isAccepted(verify: () => unknown): boolean {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
}

test('standardwebhooks, as npm has it', () => {
  assertVerdicts(
    [...sent, ...forged].map(({ secret, headers, body }) =>
      isAccepted(() => new Webhook(secret).verify(body.toString(), headers)),
    ),
  );
});

test('standardwebhooks for Python, as its authors publish it', needsLanguage('py'), () => {
  const program = `
import base64, json, sys
sys.path.insert(0, "${join(import.meta.dirname, '../support/standardwebhooks')}")
from webhooks import Webhook, WebhookVerificationError
def is_accepted(secret, headers, body):
    try:
        Webhook(secret).verify(body, headers)
        return True
    except (WebhookVerificationError, ValueError):
        return False
given = json.load(sys.stdin)
print(json.dumps([is_accepted(each["secret"], each["headers"], base64.b64decode(each["body"])) for each in given]))`;
  assertVerdicts(runPython(program));
});

test('docs/samples/verify.ts', () => {
  assertVerdicts([...sent, ...forged].map(({ secret, headers, body }) => isFromService(secret, headers, body)));
});

test('docs/samples/verify.py', needsLanguage('py'), () => {
  const program = `
import base64, json, sys
sys.path.insert(0, "${SAMPLES}")
from verify import is_from_service
class Headers(dict):
    def get(self, name, otherwise=None):
        return super().get(name.lower(), otherwise)
given = json.load(sys.stdin)
print(json.dumps([is_from_service(each["secret"], Headers(each["headers"]), base64.b64decode(each["body"])) for each in given]))`;
  assertVerdicts(runPython(program));
});

test('docs/samples/verify.go', needsLanguage('go'), () => {
  const folder = temporaryFolder('verify-go');
  mkdirSync(join(folder, 'webhook'));
  writeFileSync(join(folder, 'go.mod'), 'module verify\n\ngo 1.18\n');
  writeFileSync(join(folder, 'webhook/verify.go'), readSample('verify.go'));
  writeFileSync(
    join(folder, 'main.go'),
    `package main

import (
	"encoding/json"
	"net/http"
	"os"
	"time"

	"verify/webhook"
)

func main() {
	var given []struct {
		Secret  string            \`json:"secret"\`
		Headers map[string]string \`json:"headers"\`
		Body    []byte            \`json:"body"\`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, each := range given {
		header := http.Header{}
		for name, value := range each.Headers {
			header.Set(name, value)
		}
		verdicts = append(verdicts, webhook.IsFromService(each.Secret, header, each.Body, time.Now()))
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`,
  );
  assertVerdicts(JSON.parse(execFileSync('go', ['run', '.'], { cwd: folder, input: asJson(), encoding: 'utf8' })));
});

test('docs/samples/verify.php', needsLanguage('php'), () => {
  // As PHP itself names the headers of a request.
  const program = `
require '${SAMPLES}/verify.php';
$verdicts = [];
foreach (json_decode(stream_get_contents(STDIN), true) as ['secret' => $secret, 'headers' => $headers, 'body' => $body]) {
    $server = [];
    foreach ($headers as $name => $value) {
        $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
    }
    $verdicts[] = is_from_service($secret, $server, base64_decode($body));
}
echo json_encode($verdicts);`;
  assertVerdicts(JSON.parse(execFileSync('php', ['-r', program], { input: asJson(), encoding: 'utf8' })));
});
