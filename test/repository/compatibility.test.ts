/** `/v1` is only added to: docs/versions.md says what a breaking change is. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { listPromises } from '../../scripts/promises/list-promises.ts';
import { ROOT } from '../support/document-blocks.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: each test changes another place of the document
const readDocument = (): any => JSON.parse(read('openapi/partner.json'));
const promised = read('openapi/v1-promises.txt').trimEnd().split('\n');

// biome-ignore lint/suspicious/noExplicitAny: see above
function lostBy(change: (document: any) => void): string[] {
  const document = readDocument();
  change(document);
  const now = new Set(listPromises(document));
  return promised.filter((promise) => !now.has(promise));
}

test('openapi/partner.json keeps every promise of openapi/v1-promises.txt', () => {
  assert.ok(promised.length > 1_000);
  assert.deepEqual(
    lostBy(() => {}),
    [],
  );
});

test('and promises no more than is written there (npm run promises adds)', () => {
  assert.deepEqual(listPromises(readDocument()), promised);
});

const confirm = '/v1/impact-transactions';

describe('what breaks is found', () => {
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const breaks: Readonly<Record<string, (document: any) => void>> = {
    'a path that goes': ({ paths }) => delete paths['/v1/events'],
    'a method that goes': ({ paths }) => delete paths[confirm].get,
    'an answer that goes': ({ paths }) => delete paths[confirm].post.responses['202'],
    'a member of an answer that goes': ({ components }) => delete components.schemas.Contribution.properties.points,
    'a member that is not always there any more': ({ components }) => components.schemas.Contribution.required.pop(),
    'a member of another type': ({ components }) =>
      Object.assign(components.schemas.Contribution.properties.points, { type: 'string' }),
    'a member that may be null': ({ components }) =>
      Object.assign(components.schemas.Contribution.properties.points, { type: ['integer', 'null'] }),
    'a new value of a closed list': ({ components }) => components.schemas.Contribution.properties.status.enum.push('open'),
    'a field that becomes required': ({ paths }) =>
      paths[confirm].post.requestBody.content['application/json'].schema.required.push('opaque_customer_ref'),
    'a field that is not taken any more': ({ paths }) =>
      delete paths[confirm].post.requestBody.content['application/json'].schema.properties.calculation_id,
    'a value that is not taken any more': ({ paths }) =>
      paths['/v1/emissions/estimates'].post.requestBody.content['application/json'].schema.properties.vehicle_category.enum.pop(),
    'a member of the list of contributions that goes': ({ paths }) =>
      delete paths[confirm].get['x-list'].responses['200'].content['application/json'].schema.properties.contributions,
    'a member of the query of the list of contributions that goes': ({ paths }) => paths[confirm].get['x-list'].parameters.pop(),
    'an event that goes': ({ webhooks }) => delete webhooks['settlement.closed'],
  };
  for (const [title, change] of Object.entries(breaks)) test(title, () => assert.notDeepEqual(lostBy(change), []));

  test('and an addition is none', () => {
    const lost = lostBy(({ paths, components }) => {
      paths['/v1/more'] = paths[confirm];
      components.schemas.Contribution.properties.more = { type: 'string' };
      components.schemas.Association.required.push('link');
      paths[confirm].post.requestBody.content['application/json'].schema.properties.more = { type: 'string' };
      paths['/v1/emissions/estimates'].post.requestBody.content['application/json'].schema.properties.vehicle_category.enum.push(
        'van',
      );
    });
    assert.deepEqual(lost, []);
  });
});
