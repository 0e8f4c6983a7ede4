import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const LOG = join(import.meta.dirname, 'log.ts');

/** @returns The lines of a process that ran this text with a log. */
function linesOf(text: string): {
  readonly err: { readonly message: string; readonly stack?: string; readonly stack_omitted?: true; readonly times?: number };
}[] {
  const program = `import { openLog } from ${JSON.stringify(LOG)}; const { logger, flush } = openLog('info'); ${text}; await flush();`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('the stack of an error that recurs is written once, its message with each line; an error of another place has its own stack', () => {
  const lines = linesOf(`
    const away = () => new Error('the database is away');
    for (let request = 0; request < 3; request++) logger.error({ err: away(), correlation_id: 'corr_' + request }, 'unexpected error');
    const elsewhere = () => new Error('the database is away');
    logger.error({ err: elsewhere() }, 'unexpected error')`);
  assert.deepEqual(
    lines.map(({ err }) => [err.message, err.stack?.split('\n')[1]?.includes('elsewhere'), err.stack_omitted, err.times]),
    [
      ['the database is away', false, undefined, 1],
      ['the database is away', undefined, true, undefined],
      ['the database is away', undefined, true, undefined],
      ['the database is away', true, undefined, 1],
    ],
  );
});

test('the stack of an error that names a record is written once for all records of that trouble', () => {
  const lines = linesOf(`
    for (let endpoint = 0; endpoint < 1_001; endpoint++)
      logger.error({ err: Object.assign(new Error('The secret of wep_' + endpoint + ' does not open.'), { recursAs: 'does not open' }) })`);
  assert.deepEqual([lines.length, lines.filter(({ err }) => err.stack !== undefined).length], [1_001, 1]);
});

test('the row in the detail of a database error is never written, nor in its cause', () => {
  const detail = "{ detail: 'Key (partner_order_ref)=(order-secret) already exists.', code: '23505' }";
  const [line] = linesOf(`
    const cause = Object.assign(new Error('duplicate key'), ${detail});
    logger.error({ err: Object.assign(new Error('not recorded', { cause }), ${detail}) })`);
  assert.doesNotMatch(JSON.stringify(line), /order-secret/);
  assert.match(JSON.stringify(line), /"duplicate key","code":"23505"/);
});
