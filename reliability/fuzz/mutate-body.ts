/** Ways to spoil the body of a valid request. */
import fc from 'fast-check';
import { bodyBytes, edgeLength, identifierOf, numberText, stringText, valueText } from './adversarial.ts';
import type { Draft } from './draft.ts';

/** Makes a worse request of a good one; a request that it cannot spoil comes back as it is. */
export type Mutation = (draft: Draft) => fc.Arbitrary<Draft>;

type Members = NonNullable<Draft['members']>;

const ODD_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'points ',
  'Points',
  'متجر',
  'x'.repeat(2_000),
];

/** So large that the service must not read it: 64 KiB is the most. */
const BODY_MAX_BYTES = 65_536;

function named(draft: Draft, what: string, change: Partial<Draft>): Draft {
  return { ...draft, ...change, mutations: [...draft.mutations, what] };
}

/** One member, replaced by nothing, one or several. */
function splice(members: Members, index: number, instead: Members): Members {
  return [...members.slice(0, index), ...instead, ...members.slice(index + 1)];
}

function onMember(change: (draft: Draft, members: Members, index: number) => fc.Arbitrary<Draft>): Mutation {
  return (draft) => {
    const { members } = draft;
    if (!members || members.length === 0) return fc.constant(draft);
    return fc.nat(members.length - 1).chain((index) => change(draft, members, index));
  };
}

const dropMember = onMember((draft, members, index) => {
  const name = JSON.parse(members[index]?.[0] as string);
  const mustBeRefused = draft.operation.body?.required?.includes(name) ?? false;
  return fc.constant(named(draft, `without ${name}`, { members: splice(members, index, []), mustBeRefused }));
});

const repeatMember = onMember((draft, members, index) => {
  const [name, value] = members[index] as Members[number];
  const escaped = `"\\u${name.charCodeAt(1).toString(16).padStart(4, '0')}${name.slice(2)}`;
  return fc
    .record({
      asName: fc.constantFrom(name, escaped),
      asValue: fc.oneof(fc.constant(value), fc.constantFrom('null', '1', '"x"')),
    })
    .map(({ asName, asValue }) => {
      const repeated: Members = [...members, [asName, asValue]];
      return named(draft, `${name} twice`, { members: repeated, mustBeRefused: true });
    });
});

const replaceValue = onMember((draft, members, index) => {
  const [name] = members[index] as Members[number];
  return valueText.map((value) =>
    named(draft, `${name} = ${value.slice(0, 40)}`, { members: splice(members, index, [[name, value]]) }),
  );
});

const resizeText = onMember((draft, members, index) => {
  const [name] = members[index] as Members[number];
  return identifierOf(edgeLength).map((value) => {
    const text = JSON.stringify(value);
    return named(draft, `${name} of ${value.length} characters`, { members: splice(members, index, [[name, text]]) });
  });
});

const strangeText = onMember((draft, members, index) => {
  const [name] = members[index] as Members[number];
  return stringText.map((value) =>
    named(draft, `${name} = ${value.slice(0, 40)}`, { members: splice(members, index, [[name, value]]) }),
  );
});

/** Points and distances are what numbers matter for. */
const strangeNumber: Mutation = (draft) => {
  const { members } = draft;
  const index = members?.findIndex(([name]) => name === '"points"' || name === '"distance_km"') ?? -1;
  const [name] = members?.[index] ?? [];
  if (!members || !name) return fc.constant(draft);
  const asWritten =
    name === '"points"'
      ? numberText
      : fc.oneof(
          numberText,
          numberText.map((value) => JSON.stringify(value)),
        );
  return asWritten.map((value) => {
    const change = splice(members, index, [[name, value]]);
    return named(draft, `${name} = ${value.slice(0, 40)}`, {
      members: change,
      mustBeRefused: name === '"points"' && !isPoints(value),
    });
  });
};

const addMember: Mutation = (draft) => {
  const { members } = draft;
  if (!members) return fc.constant(draft);
  const anyName = fc.oneof(fc.constantFrom(...ODD_NAMES), fc.string({ unit: 'binary', maxLength: 20 }));
  return fc.record({ name: anyName, value: fc.constantFrom('1', '{}', '{"points":1}', 'null', '[]') }).map(({ name, value }) => {
    const added: Members = [...members, [JSON.stringify(name), value]];
    return named(draft, `with ${JSON.stringify(name.slice(0, 20))}`, { members: added, mustBeRefused: true });
  });
};

const otherBytes: Mutation = (draft) =>
  draft.members
    ? bodyBytes.map((body) =>
        named(draft, `body ${JSON.stringify(body.subarray(0, 20).toString('latin1'))}`, { body, mustBeRefused: true }),
      )
    : fc.constant(draft);

function onBytes(what: string, change: (body: Buffer) => fc.Arbitrary<Buffer>, mustBeRefused: boolean): Mutation {
  return (draft) => {
    if (!draft.members) return fc.constant(draft);
    const text = `{${draft.members.map(([name, value]) => `${name}:${value}`).join(',')}}`;
    return change(Buffer.from(text)).map((body) => named(draft, what, { body, mustBeRefused }));
  };
}

const cutOff = onBytes('body cut off', (body) => fc.nat(body.length - 1).map((length) => body.subarray(0, length)), true);
const withByteOrderMark = onBytes('byte order mark', (body) => fc.constant(Buffer.concat([Buffer.from('\ufeff'), body])), true);
const followed = onBytes(
  'followed by something',
  (body) => fc.constantFrom('x', '{}', '\0', ',', '}', '\u00a0').map((tail) => Buffer.concat([body, Buffer.from(tail)])),
  true,
);
const inWhiteSpace = onBytes(
  'padded',
  (body) => fc.constantFrom(...['\n', '\t \r\n', ' '.repeat(30_000)]).map((space) => Buffer.from(`${space}${body}${space}`)),
  false,
);
const inUtf16 = onBytes('UTF-16', (body) => fc.constant(Buffer.from(body.toString(), 'utf16le')), true);
const inArray = onBytes('in an array', (body) => fc.constant(Buffer.from(`[${body}]`)), true);
const flipped = onBytes(
  'a byte changed',
  (body) =>
    fc.record({ at: fc.nat(body.length - 1), byte: fc.nat(255) }).map(({ at, byte }) => {
      const changed = Buffer.from(body);
      changed[at] = byte;
      return changed;
    }),
  false,
);
const nearLimit = onBytes(
  'near 64 KiB',
  (body) => fc.constantFrom(-1, 0).map((step) => Buffer.concat([body, Buffer.alloc(BODY_MAX_BYTES + step - body.length, ' ')])),
  false,
);
const tooLarge = onBytes(
  'above 64 KiB',
  (body) =>
    fc.constantFrom(1, 2, 4_000).map((step) => Buffer.concat([body, Buffer.alloc(BODY_MAX_BYTES + step - body.length, ' ')])),
  true,
);

/** The wish and its weight. */
export const BODY_MUTATIONS: readonly { weight: number; mutation: Mutation }[] = [
  { weight: 6, mutation: dropMember },
  { weight: 8, mutation: repeatMember },
  { weight: 12, mutation: replaceValue },
  { weight: 8, mutation: resizeText },
  { weight: 8, mutation: strangeText },
  { weight: 14, mutation: strangeNumber },
  { weight: 8, mutation: addMember },
  { weight: 5, mutation: otherBytes },
  { weight: 3, mutation: cutOff },
  { weight: 1, mutation: withByteOrderMark },
  { weight: 2, mutation: followed },
  { weight: 1, mutation: inWhiteSpace },
  { weight: 1, mutation: inUtf16 },
  { weight: 1, mutation: inArray },
  { weight: 4, mutation: flipped },
  { weight: 1, mutation: nearLimit },
  { weight: 1, mutation: tooLarge },
];

/** Whether a text is one of JSON's spellings of a whole number from 1 to 2^63 - 1, decided without a float. */
function isPoints(text: string): boolean {
  const [, digits, fraction = '', exponent = '0'] = /^(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (digits === undefined) return false;
  const significant = (digits + fraction).replace(/^0+/, '');
  const shift = Number(exponent) - fraction.length;
  if (significant === '' || Math.abs(shift) > 5_000) return false;
  const scaled = BigInt(significant) * 10n ** BigInt(Math.max(0, shift));
  const divisor = 10n ** BigInt(Math.max(0, -shift));
  return scaled % divisor === 0n && scaled / divisor >= 1n && scaled / divisor < 2n ** 63n;
}
