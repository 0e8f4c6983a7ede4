/** What must not compile does not, and what must does. The types are those of the compiled package. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { type Document, renderSdkTypes } from '../../scripts/render-sdk-types.ts';
import { ROOT } from '../support/document-blocks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HEAD = `import { PartnerImpact, RestorationPermit, type Intent, type Outcome } from '@partner-impact/sdk';
declare const impact: PartnerImpact;
declare const intent: Intent;
declare const outcome: Outcome;
declare function restore(permit: RestorationPermit): void;
declare function keep(): void;
`;

/** A program, and the error of the compiler. */
const WRONG: Readonly<Record<string, readonly [program: string, error: RegExp]>> = {
  'one outcome is left out': [
    `outcome.match({ confirmed: keep, pending: keep, failed: restore, refused: keep });`,
    /TS2741: Property 'unknown' is missing/,
  ],
  'a status is read past the match': [
    `if ((outcome as Outcome).status === 'failed') keep();`,
    /TS2339: Property 'status' does not exist on type 'Outcome'/,
  ],
  'points are restored after a refusal': [
    `outcome.match({ confirmed: keep, pending: keep, failed: restore, refused: (refused) => restore(refused), unknown: keep });`,
    /TS2739: Type 'Refused' is missing the following properties from type 'RestorationPermit'/,
  ],
  'a permit is made by hand': [
    `restore({ eventId: 'event-1', transactionId: 'txn_1', points: 250n });`,
    /TS2741: Property '#private' is missing in type .* but required in type 'RestorationPermit'/,
  ],
  'the same event is sent with a new key': [
    `await impact.confirm({ ...intent, idempotencyKey: crypto.randomUUID() });`,
    /TS2322: Type '`\${string}-.*' is not assignable to type 'IdempotencyKey'/,
  ],
  'a permit is constructed': [`restore(new RestorationPermit());`, /TS2673: Constructor of class 'RestorationPermit' is private/],
  'points are restored after a pending outcome': [
    `outcome.match({ confirmed: keep, pending: restore, failed: restore, refused: keep, unknown: keep });`,
    /TS2322: /,
  ],
  'points are restored while the outcome is unknown': [
    `outcome.match({ confirmed: keep, pending: keep, failed: restore, refused: keep, unknown: (unknown) => restore(unknown.error) });`,
    /TS2345: .*RestorationPermit/,
  ],
  'the status of a record is read': [
    `outcome.match({ confirmed: (_confirmed, { contribution }) => contribution.status, pending: keep, failed: keep, refused: keep, unknown: keep });`,
    /TS2339: Property 'status' does not exist on type 'Contribution'/,
  ],
  'points are a number': [
    `PartnerImpact.intent({ orderRef: 'order-1', points: 250 });`,
    /TS2322: Type 'number' is not assignable to type 'bigint'/,
  ],
  'an intent is made with a key of its own': [
    `PartnerImpact.intent({ orderRef: 'order-1', points: 250n, idempotencyKey: 'key-12345' });`,
    /TS2353: .*'idempotencyKey' does not exist in type 'IntentFields'/,
  ],
};

const SERVER = readFileSync(join(ROOT, 'examples/partner-server.ts'), 'utf8');
const HELD = 'refused: ({ code, retryAt }) => wallet.held(intent.eventId, code, retryAt),';
const forged = '{ eventId: intent.eventId, transactionId: "txn_none", points: BigInt(intent.points) }';

/** What a hurried hand makes of examples/partner-server.ts: the text that it changes, the new one, and the error of the compiler. */
const SERVER_MUTANTS: Readonly<Record<string, readonly [find: string, replace: string, error: RegExp]>> = {
  'restores on 404': [
    'unknown: ({ code, retryAt }) =>',
    `unknown: ({ code, retryAt }) => code === 'contribution_not_found' ? wallet.restore(${forged}, intent.eventId) :`,
    /TS2741: Property '#private' is missing .* in type 'RestorationPermit'/,
  ],
  'restores on 400': [
    HELD,
    "refused: (refused) => refused.code === 'invalid_request' ? wallet.restore(refused, intent.eventId) : undefined,",
    /TS2739: Type 'Refused' is missing the following properties from type 'RestorationPermit'/,
  ],
  'restores on a conflict of the order': [
    HELD,
    `refused: ({ code }) => code === 'partner_order_conflict' ? wallet.restore(${forged}, intent.eventId) : undefined,`,
    /TS2741: Property '#private' is missing .* in type 'RestorationPermit'/,
  ],
  'retries with a new key': [
    'impact.confirm(intent)',
    'impact.confirm({ ...intent, idempotencyKey: crypto.randomUUID() })',
    /TS2322: .*is not assignable to type 'IdempotencyKey'/,
  ],
};

const RIGHT = `
const made: Intent = PartnerImpact.intent({ orderRef: 'order-1', points: 250n, customerRef: 'c-1' });
const read: Intent = JSON.parse(JSON.stringify(made));
const word: string = (await impact.confirm(read)).match({
  confirmed: ({ transactionId, points }) => \`\${transactionId} \${points + 1n}\`,
  pending: ({ retryAt }) => retryAt.toISOString(),
  failed: (permit) => { restore(permit); return permit.transactionId; },
  refused: ({ code, message }) => code + message,
  unknown: ({ code, error }) => code + error.name,
});
export { word };
`;

describe('programs', () => {
  let errors: string;

  before(() => {
    buildSdk();
    const folder = temporaryFolder('sdk-types');
    const programs = [...Object.values(WRONG).map(([program]) => program), RIGHT];
    for (const [index, program] of programs.entries())
      writeFileSync(join(folder, `program-${index}.ts`), `${HEAD}${program}\nexport {};\n`);
    const wallet = JSON.stringify(join(ROOT, 'examples/wallet.ts'));
    for (const [index, [find, replace]] of Object.values(SERVER_MUTANTS).entries()) {
      const program = SERVER.replace(find, () => replace);
      assert.notEqual(program, SERVER, find);
      writeFileSync(join(folder, `server-${index}.ts`), program.replace("'./wallet.ts'", wallet));
    }
    const paths = { '@partner-impact/sdk': [join(ROOT, 'sdk/dist/index.d.ts')] };
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      module: 'nodenext',
      types: ['node'],
      paths,
      allowImportingTsExtensions: true,
    };
    const typeRoots = [join(ROOT, 'node_modules/@types')];
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, typeRoots }, include: ['*.ts'] }),
    );
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    errors = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { encoding: 'utf8', cwd: folder }).stdout;
  });

  const errorsOf = (index: number, of = 'program') =>
    errors.split(/^(?=\S)/m).filter((error) => error.startsWith(`${of}-${index}.ts`));

  for (const [index, [title, [, expected]]] of Object.entries(WRONG).entries())
    test(`does not compile: ${title}`, () => {
      const found = errorsOf(index);
      assert.equal(found.length, 1, found.join(''));
      assert.match(found[0] ?? '', expected);
    });

  for (const [index, [title, [, , expected]]] of Object.entries(SERVER_MUTANTS).entries())
    test(`does not compile: a partner's server that ${title}`, () => {
      const found = errorsOf(index, 'server');
      assert.equal(found.length, 1, found.join(''));
      assert.match(found[0] ?? '', expected);
    });

  test('compiles: the program of the README', () => {
    assert.deepEqual(errorsOf(Object.keys(WRONG).length), []);
    assert.equal(
      errors.split(/^(?=\S)/m).filter((error) => error !== '').length,
      Object.keys({ ...WRONG, ...SERVER_MUTANTS }).length,
      errors,
    );
  });
});

describe('generated types', () => {
  const document = JSON.parse(readFileSync(join(ROOT, 'openapi/partner.json'), 'utf8')) as Document;

  test('are those of openapi/partner.json (npm run sdk:types)', () => {
    assert.equal(readFileSync(join(ROOT, 'sdk/src/generated/types.ts'), 'utf8'), renderSdkTypes(document));
  });

  test('have a bigint for every integer, and no number', () => {
    assert.doesNotMatch(renderSdkTypes(document), /: number/);
    const text = JSON.stringify(document);
    assert.match(text, /"type":"integer"/);
    // A number with a fraction would need a decision: the SDK reads it as its source text.
    assert.doesNotMatch(text, /"type":"number"/);
  });
});
