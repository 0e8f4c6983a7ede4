/** sdk/REFERENCE.md names every public name, option and method of the package, with its type, and nothing else. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { DEADLINE_MS } from '../../sdk/src/http/request.ts';
import { ROOT } from '../support/document-blocks.ts';

buildSdk();
const DIST = join(ROOT, 'sdk/dist');
const REFERENCE = readFileSync(join(ROOT, 'sdk/REFERENCE.md'), 'utf8');
/** The records of the interface, which the API reference describes. */
const GENERATED = './generated/types.js';

/** A declaration without its comments, in one line. */
const flat = (text: string) =>
  text
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .trim();
const readDeclarations = (path: string) => readFileSync(join(DIST, path.replace(/\.js$/, '.d.ts')), 'utf8');

/** Every public name but those of records, with the declarations that it stands in. */
function listExports(entry: string): Map<string, string> {
  const text = flat(readDeclarations(entry));
  const found = new Map<string, string>();
  for (const [, names, path = ''] of text.matchAll(/export (?:type )?(?:\{([^}]*)\}|\*) from '([^']+)'/g)) {
    if (path === GENERATED) continue;
    const declarations = flat(readDeclarations(path));
    const all = names?.split(',').map((name) => name.replace('type ', '').trim()) ?? namesDeclared(declarations);
    for (const name of all.filter((each) => each !== '')) found.set(name, declarations);
  }
  for (const name of namesDeclared(text)) found.set(name, text);
  return found;
}

function namesDeclared(text: string): string[] {
  return [...text.matchAll(/export (?:declare )?(?:abstract )?(?:class|interface|type|function) (\w+)/g)].map(
    ([, name = '']) => name,
  );
}

interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
  /** Names of parameters, `?` behind the optional ones; `undefined` for what is no method. */
  readonly parameters?: readonly string[];
}

/** The public members of a class or an interface; a call signature has the name of the interface with a small letter. */
function listMembers(name: string, declarations: string): Member[] | undefined {
  const start = new RegExp(`(?:class|interface) ${name}(?:<.*?>)? (?:extends .*?|implements .*?)?\\{`).exec(declarations);
  if (!start) return undefined;
  const body = declarations.slice(start.index + start[0].length);
  return split(body.slice(0, endOf(body)), ';').flatMap((each) => {
    const text = each.replace(/^(?:static|readonly|get) /, '').replace(/^readonly /, '');
    if (text === '' || /^(?:#private|private |constructor)/.test(text)) return [];
    if (each.startsWith('get '))
      return [{ name: /^\w+/.exec(text)?.[0] ?? '', isOptional: false, type: text.replace(/^.*?\(\): /, '') }];
    const method = /^(\w*)(?:<[^(]*>)?\(/.exec(text);
    if (method) return [readMethod(method[1] || name[0]?.toLowerCase() + name.slice(1), text.slice(method[0].length))];
    const [, property = '', mark, type = ''] = /^(\w+)(\??): (.*)$/.exec(text) ?? [];
    return [{ name: property, isOptional: mark === '?', type }];
  });
}

function readMethod(name: string, text: string): Member {
  const end = endOf(text);
  const parameters = split(text.slice(0, end), ',').map((each, index) => {
    const [, parameter = `parameter ${index}`, mark = ''] = /^(\w+)(\??):/.exec(each) ?? [];
    return parameter + mark;
  });
  return { name, isOptional: false, type: text.slice(end + 1).replace(/^: /, ''), parameters };
}

/** Where the bracket that was opened before a text closes. */
function endOf(text: string): number {
  for (let index = 0, depth = 1; index < text.length; index++) {
    if ('({['.includes(text[index] as string)) depth++;
    if (')}]'.includes(text[index] as string) && --depth === 0) return index;
  }
  return text.length;
}

/** At a sign that stands outside of brackets. */
function split(text: string, sign: string): string[] {
  const parts = [''];
  for (let index = 0, depth = 0; index < text.length; index++) {
    const letter = text[index] as string;
    if ('({[<'.includes(letter)) depth++;
    if (')}]'.includes(letter) || (letter === '>' && text[index - 1] !== '=')) depth--;
    if (letter === sign && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** The rows of the tables below a heading, as cells. */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = REFERENCE.split(new RegExp(`^#{2,3} ${heading}$`, 'm'));
  return (section.split(/^#{2,3} /m)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
}

/** The members of a client, each with a heading of its own. */
const PARTS = ['contributions', 'estimates', 'associations', 'settlements', 'events'];

const codeOf = (cell = '') => /^`([^`]*)`/.exec(cell)?.[1] ?? '';
const exported = new Map([...listExports('index.js'), ...listExports('testing.js')]);

test('every public name is there', () => {
  const named = new Set(REFERENCE.match(/\w+/g));
  const coded = new Set([...REFERENCE.matchAll(/`([^`]*)`/g)].flatMap(([, code = '']) => code.match(/\w+/g) ?? []));
  const headed = [...REFERENCE.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
  assert.ok(exported.size > 60, String(exported.size));
  assert.deepEqual(
    [...exported.keys()].filter((name) => !named.has(name) || !(coded.has(name) || headed.includes(name))),
    [],
  );
  assert.deepEqual(
    headed.filter((name) => !exported.has(name) && name !== 'Adapters'),
    [],
  );
});

test('every error is a row, and every row of errors is one', () => {
  const errors = namesDeclared(flat(readDeclarations('errors.js'))).filter((name) => name.endsWith('Error'));
  assert.deepEqual(
    rowsOf('Errors').map(([cell]) => codeOf(cell)),
    errors,
  );
});

describe('the tables have the members and types of the declarations', () => {
  for (const [, heading = ''] of REFERENCE.matchAll(/^### (\w+)$/gm)) {
    const members = listMembers(heading, exported.get(heading) ?? '');
    if (!members) continue;
    const rows = rowsOf(heading);
    test(heading, () => {
      const methods = members.filter(({ parameters }) => parameters);
      const options = members.filter(({ name, parameters }) => !parameters && !PARTS.includes(name));
      const callRows = rows.filter(([cell]) => codeOf(cell).includes('('));
      // A parameter that is taken apart has no name.
      const callOf = ({ name, parameters = [] }: Member) => `${name}(${parameters.join(', ').replace('parameter 0', 'fields')})`;
      assert.deepEqual(
        callRows.map(([cell]) => codeOf(cell).replace(`${heading}.`, '')),
        methods.map(callOf),
      );
      for (const [index, [, gives]] of callRows.entries())
        assert.equal(codeOf(gives), methods[index]?.type, callRows[index]?.[0]);
      const optionRows = rows.filter(([cell]) => !codeOf(cell).includes('('));
      assert.deepEqual(
        optionRows.map(([name, type]) => [codeOf(name), codeOf(type)]),
        options.map(({ name, type }) => [name, type]),
      );
      // A row of four cells is an option: it has a default unless it is required.
      for (const [index, [name, , value, meaning]] of optionRows.entries())
        if (meaning !== undefined) assert.equal(value !== '', options[index]?.isOptional, `${name}: ${value}`);
    });
  }
});

test('functions have the parameters of their declarations', () => {
  const rows = ['Adapters', 'JSON', 'Tests of your own'].flatMap(rowsOf).map(([cell]) => codeOf(cell));
  const functions = [...exported].flatMap(([name, text]) => {
    const found = new RegExp(`export declare function ${name}(?:<.*?>)?\\(`).exec(text);
    if (!found) return [];
    const { parameters = [] } = readMethod(name, text.slice(found.index + found[0].length));
    const options = name === 'signedRequest' ? 'options' : '{ escapeBidi }?';
    return [`${name}(${parameters.map((each) => (each.startsWith('parameter') ? options : each)).join(', ')})`];
  });
  assert.deepEqual(rows.sort(), functions.sort());
});

test('the defaults in milliseconds are those of the code', () => {
  const spaced = (value: number) => String(value).replace(/(\d)(?=(?:\d{3})+$)/g, '$1 ');
  const [, timeoutMs] = /timeoutMs = ([\d_]+)/.exec(readFileSync(join(ROOT, 'sdk/src/partner-impact.ts'), 'utf8')) ?? [];
  const defaultOf = (heading: string, option: string) => rowsOf(heading).find(([cell]) => codeOf(cell) === option)?.[2];
  assert.equal(defaultOf('PartnerImpactOptions', 'timeoutMs'), spaced(Number(timeoutMs?.replaceAll('_', ''))));
  assert.equal(defaultOf('CallOptions', 'deadlineMs'), spaced(DEADLINE_MS));
});
