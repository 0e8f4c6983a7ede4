/** Functions within functions, which Biome does not count: a function that holds many is a class, or a file, that was not made. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

/** One within the other, the outermost not counted. */
const LEVELS_MAX = 3;
/** Whose body is a block of statements: what is one expression is read where it stands. */
const BLOCKS_MAX = 5;

const ROOT = join(import.meta.dirname, '../..');
const CONFIG = '/nesting/tsconfig.json';
const PLANTED = '/nesting/planted.ts';

const FUNCTIONS = new Set<SyntaxKind>([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
]);

interface Nesting {
  /** Of the outermost function, with its file. */
  readonly name: string;
  levels: number;
  blocks: number;
}

/** The functions of a file that are in no other, and what is in them. */
function listNestings(file: SourceFile, path: string): Nesting[] {
  const found: Nesting[] = [];
  const visit = (node: Node, outer: Nesting | undefined, level: number): void => {
    const isFunction = FUNCTIONS.has(node.kind);
    const nesting = isFunction && !outer ? { name: `${path}: ${firstLine(file, node)}`, levels: 0, blocks: 0 } : outer;
    if (isFunction && outer) {
      outer.levels = Math.max(outer.levels, level);
      if ((node as { body?: Node }).body?.kind === SyntaxKind.Block) outer.blocks++;
    } else if (isFunction && nesting) found.push(nesting);
    node.forEachChild((child) => visit(child, nesting, isFunction ? level + 1 : level));
  };
  file.forEachChild((child) => visit(child, undefined, 0));
  return found;
}

function firstLine(file: SourceFile, node: Node): string {
  return (
    file.text
      .slice(node.pos, node.end)
      .replaceAll(/\/\*\*.*?\*\//gs, '')
      .trim()
      .split('\n', 1)[0] ?? ''
  );
}

function describeExcess({ name, levels, blocks }: Nesting): string[] {
  return [
    ...(levels > LEVELS_MAX ? [`${name} has ${levels} levels of functions`] : []),
    ...(blocks > BLOCKS_MAX ? [`${name} has ${blocks} functions`] : []),
  ];
}

/** Parses the files alone: nothing is resolved or checked. */
function parse(paths: readonly string[], planted: string): SourceFile[] {
  const config = JSON.stringify({
    compilerOptions: { noResolve: true, noLib: true, types: [], allowImportingTsExtensions: true, noEmit: true },
    files: [...paths, PLANTED],
  });
  const texts: Record<string, string> = { [CONFIG]: config, [PLANTED]: planted };
  const api = new API({
    cwd: ROOT,
    fs: { readFile: (path) => texts[path], fileExists: (path) => (path in texts ? true : undefined) },
  });
  try {
    const [project] = api.updateSnapshot({ openProject: CONFIG }).getProjects();
    return [...paths, PLANTED].map((path) => {
      const file = project?.program.getSourceFile(path);
      assert.ok(file, path);
      return file;
    });
  } finally {
    api.close();
  }
}

const block = (inner: string) => `() => { ${inner}; }`;
const deep = (levels: number) => Array.from({ length: levels }).reduce<string>((inner) => `() => ${inner}`, '1');

const paths = globSync('{src,scripts,sdk/src,reliability,bench}/**/*.ts', { cwd: ROOT })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => join(ROOT, path));
const files = parse(
  paths,
  `const wide = ${block(`[${Array.from({ length: BLOCKS_MAX + 1 }, () => block('')).join(', ')}]`)};
const fits = ${block(`[${Array.from({ length: BLOCKS_MAX }, () => block('')).join(', ')}, ${Array.from({ length: 20 }, () => '() => 1').join(', ')}]`)};
const tall = ${deep(LEVELS_MAX + 2)};
const flat = ${deep(LEVELS_MAX + 1)};
class Apart { ${Array.from({ length: BLOCKS_MAX + 1 }, (_, n) => `method${n}() { return ${n}; }`).join(' ')} }`,
);

describe('functions within functions', () => {
  test(`are at most ${LEVELS_MAX} levels, and at most ${BLOCKS_MAX} with statements in one function`, () => {
    assert.ok(paths.length > 500);
    const nestings = paths.flatMap((path, index) => listNestings(files[index] as SourceFile, path.slice(ROOT.length + 1)));
    assert.ok(nestings.length > 2_000);
    assert.deepEqual(nestings.flatMap(describeExcess), []);
  });

  test('the guard bites', () => {
    const planted = listNestings(files.at(-1) as SourceFile, 'planted');
    assert.deepEqual(
      planted.flatMap(describeExcess).map((sentence) => sentence.replace(/.* has/, 'has')),
      [`has ${BLOCKS_MAX + 1} functions`, `has ${LEVELS_MAX + 1} levels of functions`],
    );
  });
});
