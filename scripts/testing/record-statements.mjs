// Loaded into every process of a run of all tests: writes each statement that the service sends to a file of the process, with the file
// of tests that made it send it. Statements of the tests themselves are left out. `statement-record.ts` reads what was written.
import { openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

const { TEST_STATEMENTS: folder, TEST_REPOSITORY: repository } = process.env;
/** What only hands a statement on. */
const HANDS_ON = /record-statements|src\/store\/database-session\.ts|\(node:|at node:|at new Promise/;
/** By file of tests: texts that the service sent for it. */
const sent = new Map();
/** Opened with the first statement and kept: a test may leave its process without a free file descriptor. */
let record;

const pg = loadDriver();
if (pg) for (const { prototype } of [pg.Pool, pg.Client]) recordQueriesOf(prototype);

/** Absent where another user has no way to it: there no service runs. */
function loadDriver() {
  try {
    return createRequire(`${repository}/package.json`)('pg');
  } catch {
    return undefined;
  }
}

function recordQueriesOf(prototype) {
  const { query } = prototype;
  prototype.query = function (...words) {
    const text = words[0]?.text ?? words[0];
    if (typeof text === 'string') note(process.env['TEST_FILE'], text);
    return query.apply(this, words);
  };
}

function note(file, text) {
  const texts = sent.get(file) ?? new Set();
  sent.set(file, texts);
  if (texts.has(text) || !isOfService()) return;
  texts.add(text);
  record ??= openSync(`${folder}/${process.pid}`, 'a');
  writeSync(record, `${JSON.stringify({ file, text })}\n`);
}

/** By who asks the driver: a pool that asks a connection was asked itself. */
function isOfService() {
  const caller = new Error().stack
    ?.split('\n')
    .slice(1)
    .find((frame) => !HANDS_ON.test(frame));
  return caller?.includes(`${repository}/src/`) ?? false;
}
