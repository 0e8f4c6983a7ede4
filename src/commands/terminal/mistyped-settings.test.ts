import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeMistypedNames } from './mistyped-settings.ts';

test('a variable whose name is nearly that of a setting is told, unless the setting is there too', () => {
  const told = (...names: string[]) => describeMistypedNames(Object.fromEntries(names.map((name) => [name, 'secret value'])));
  assert.deepEqual(told('DATABSE_URL'), ['DATABSE_URL is no setting of this service. Did you mean DATABASE_URL?']);
  assert.deepEqual(told('database_url', 'LOGLEVEL').length, 2);
  assert.deepEqual(told('SECRET_KEY', 'SECRETS_KEY'), [], 'the key of another program');
  assert.deepEqual(told('PATH', 'HOME', 'POST', 'HOSTS', 'XDG_DATA_DIRS', 'PGDATABASE', 'DATABASE_URL'), []);
  assert.deepEqual(told('OPERATIONS_PORT', 'PORT'), [], 'settings themselves');
});
