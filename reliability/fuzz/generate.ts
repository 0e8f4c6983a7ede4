/** Requests, from valid to absurd, as a seed determines them. */
import fc from 'fast-check';
import { type Draft, validDraft } from './draft.ts';
import type { Known } from './known.ts';
import { BODY_MUTATIONS, type Mutation } from './mutate-body.ts';
import { type OtherKeys, requestMutations } from './mutate-request.ts';

export interface Keys extends OtherKeys {
  /** The partner that the valid requests are made for. */
  readonly main: string;
}

export interface Generation {
  readonly known: Known;
  readonly keys: Keys;
  readonly seed: number;
  readonly count: number;
}

/** The same seed, and the same knowledge, gives the same requests. */
export function generate({ known, keys, seed, count }: Generation): Draft[] {
  const valid = validDraft(known, keys.main);
  const mutations = [...BODY_MUTATIONS, ...requestMutations(keys)];
  const once = spoil(valid, mutations);
  const twice = spoil(once, mutations).map((draft) => ({
    ...draft,
    mustBeRefused: draft.mutations.length === 1 && draft.mustBeRefused,
  }));
  const any = fc.oneof({ weight: 25, arbitrary: valid }, { weight: 60, arbitrary: once }, { weight: 15, arbitrary: twice });
  return fc.sample(any, { seed, numRuns: count });
}

function spoil(drafts: fc.Arbitrary<Draft>, mutations: readonly { weight: number; mutation: Mutation }[]): fc.Arbitrary<Draft> {
  const anyMutation = fc.oneof(...mutations.map(({ weight, mutation }) => ({ weight, arbitrary: fc.constant(mutation) })));
  return fc.tuple(drafts, anyMutation).chain(([draft, mutate]) => mutate(draft));
}
