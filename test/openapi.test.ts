/** The document that partners generate their clients from. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { ERROR_CODE_NAMES } from '../src/domain/error-codes.ts';
import { renderPartnerDocument } from '../src/partner-api/document.ts';
import { testService } from './support/service.ts';

const written = await readFile(new URL('../openapi/partner.json', import.meta.url), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: the document is read as the JSON that it is
type Json = any;
const document: Json = JSON.parse(written);
const operations: Json[] = Object.values<Json>(document.paths).flatMap((path) => Object.values(path));

test('openapi/partner.json is what the routes make', async () => {
  assert.equal(await renderPartnerDocument(), written, 'run `npm run openapi` and review the difference');
});

test('it has the six operations of the contract, by their ids ("Endpoints")', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.deepEqual(operations.map(({ operationId }) => operationId).sort(), [
    'associateEmissionsEstimate',
    'confirmContribution',
    'createDeliveryEmissionsEstimate',
    'getContributionById',
    'getContributionByPartnerEventId',
    'getDeliveryEmissionsEstimate',
  ]);
});

describe('it can be read by a newcomer', () => {
  for (const operation of operations) {
    test(`${operation.operationId} has a description, and an example for every outcome`, () => {
      assert.ok(operation.summary && operation.description);
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        const { examples } = response.content['application/json'];
        if (status !== 'default') assert.ok(Object.keys(examples).length > 0, `${status}`);
        assert.ok(response.headers['X-Correlation-ID'], `${status}`);
      }
    });
  }

  test('every error code has an example', () => {
    const shown = operations.flatMap((operation) =>
      Object.values<Json>(operation.responses).flatMap((response) =>
        Object.keys(response.content['application/json'].examples ?? {}),
      ),
    );
    assert.deepEqual(
      ERROR_CODE_NAMES.filter((code) => !shown.includes(code)),
      [],
    );
  });
});

describe('/docs', () => {
  test('the reference and all that it loads come from the service itself', async () => {
    const { baseUrl } = await testService();
    const page = await fetch(`${baseUrl}/docs/`);
    const html = await page.text();
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'/);
    for (const [, source = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      assert.doesNotMatch(source, /^(?:https?:)?\/\//);
      assert.equal((await fetch(new URL(source, `${baseUrl}/docs/`))).status, 200, source);
    }
    const served: Json = await (await fetch(`${baseUrl}/docs/openapi.json`)).json();
    assert.deepEqual(served.paths, document.paths);
  });
});
