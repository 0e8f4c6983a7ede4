/**
 * Sends random and malformed requests to a real service on real PostgreSQL, and judges every answer.
 *
 *     node reliability/fuzz/main.ts [--requests 100000] [--seed N] [--connections 16] [--allow-shed] [--repository PATH]
 *
 * The requests are generated from openapi/partner.json: valid ones, and ones with a body, path, query, method or header
 * spoiled once or twice. After them comes a corpus of raw malformed HTTP (reliability/fuzz/raw-corpus.ts), each request on
 * a connection of its own. The service runs as `serve` on the embedded PostgreSQL in a temporary folder.
 *
 * Every answer: no 5xx; X-Correlation-ID, equal to the one in the body, and the sent one when that was well formed, never a
 * bad one; Cache-Control: no-store; a body that fits the document; the status and `retryable` of its code; the recovery
 * verdict; nothing of another partner; what was acknowledged is found, and is the same. In the end the rows in the database are exactly
 * the acknowledged ones. The service uses at most 300 MB of memory.
 *
 *   --requests     how many generated requests (default 100000)
 *   --seed         repeats the requests of an earlier run; printed at the start
 *   --connections  how many connections at once (default 16)
 *   --allow-shed   takes 503 as an answer of an overloaded service; else each is a violation
 *   --repository   sends to the service of another checkout
 *
 * Exit code 1 when anything is violated.
 */

import { join } from 'node:path';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { Installation, makePartner } from '../harness/installation.ts';
import { MEMORY_MEGABYTES_MAX, MemoryWatch } from '../harness/memory-watch.ts';
import { freshSeed } from '../harness/random.ts';
import { printFigures, progress, provenBelow, Violations } from '../harness/report.ts';
import { AcknowledgedIds } from './acknowledged-ids.ts';
import { rawCorpus } from './raw-corpus.ts';
import { sendRawCorpus } from './raw-run.ts';
import { fuzz } from './run.ts';

const REPORT_EVERY = 10_000;

const given = readArguments(import.meta.filename, {
  requests: { type: 'string', default: '100000' },
  seed: { type: 'string', default: String(freshSeed()) },
  connections: { type: 'string', default: '16' },
  'allow-shed': { type: 'boolean', default: false },
  repository: { type: 'string', default: join(import.meta.dirname, '../..') },
});
const requests = readWhole('requests', given.requests, { min: 1, max: 100_000_000 });
const seed = readWhole('seed', given.seed, { min: 0, max: 2 ** 31 - 1 });
const connections = readWhole('connections', given.connections, { min: 1, max: 128 });

process.exitCode = await main();

async function main(): Promise<number> {
  progress(`Seed ${seed}: ${requests} generated requests on ${connections} connections, then the raw corpus`);
  const violations = new Violations();
  const { report } = violations;
  const installation = await Installation.start({ repository: given.repository });
  const database = installation.openDatabase();
  const memory = await MemoryWatch.start('the service', () => installation.residentMegabytes);
  try {
    const main = await makePartner(database);
    const keys = {
      main: main.apiKey,
      readOnly: (await makePartner(database, { permission: 'read_only' })).apiKey,
      suspended: (await makePartner(database, { isSuspended: true })).apiKey,
      otherPartner: (await makePartner(database)).apiKey,
    };
    const acknowledgedIds = new AcknowledgedIds(report);
    const figures = await fuzz({
      port: installation.port,
      keys,
      seed,
      requests,
      connections,
      acknowledgedIds,
      report,
      onProgress,
    });
    const rows = await acknowledgedIds.compare(database.pool);
    if (figures.shed > 0 && !given['allow-shed']) report(`${figures.shed} answers were 503`);
    progress('The raw corpus');
    const corpus = rawCorpus({ apiKey: keys.main, run: seed.toString(36) });
    const raw = await sendRawCorpus(corpus, { port: installation.port, pool: database.pool, report });
    if (!(await installation.isReady())) report('the service is not ready at the end');
    memory.endBelow(MEMORY_MEGABYTES_MAX, report);
    printFigures(`Fuzz, seed ${seed}`, {
      'generated requests': `${requests}: ${figures.valid} valid, ${figures.mutated} spoiled`,
      'answers by status': show(figures.byStatus),
      'errors by code': show(figures.byCode),
      'answers 5xx': Object.entries(figures.byStatus).reduce(
        (sum, [status, count]) => sum + (status >= '500' && status < '600' ? count : 0),
        0,
      ),
      'rows, each acknowledged once': show(rows),
      'replays, all marked': acknowledgedIds.replays,
      'raw requests': corpus.length,
      'raw answers by status': show(raw.byStatus),
      'raw connections cut without an answer': raw.cut.length,
      'memory of the service at most, MB': memory.peak,
      'an answer that breaks a rule': provenBelow(requests),
    });
    return violations.printVerdict(`${requests} generated and ${corpus.length} raw requests`);
  } finally {
    await database.close();
    await installation.close();
  }
}

function onProgress(sent: number): void {
  if (sent % REPORT_EVERY === 0) progress(`${sent} sent`);
}

function show(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
