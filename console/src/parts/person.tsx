/** Operators by their names, beside an id. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { answerOf, client } from '../api/client.ts';
import type { components } from '../api/operator-types.ts';
import { isolate } from '../format/isolate.ts';
import { shortId } from '../format/short-id.ts';
import { ACCOUNT_NAME } from '../texts/code-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { CodeLabel } from './code-label.tsx';
import { hint } from './hint.tsx';
import { Foreign, Id } from './values.tsx';

type Operator = components['schemas']['Operator'];

/** Names change never, and people are added seldom. */
const KEPT_MS = 300_000;

function useOperators() {
  return useQuery({ queryKey: NAMES, queryFn: readAll, staleTime: KEPT_MS, refetchInterval: false });
}
const NAMES = ['operators', 'names'];

/** The ids for which the names were read again: each once, because an id may be nobody's. */
const readFor = new Set<string>();

/** Looks an operator up by the id, as often as it is drawn; somebody who was added since the names were read makes them be read again. */
function useOperatorOf(): (id: string) => Operator | undefined {
  const { data, refetch } = useOperators();
  const unknown = new Set<string>();
  useEffect(() => {
    const missing = [...unknown].filter((id) => !readFor.has(id));
    if (missing.length === 0) return;
    for (const id of missing) readFor.add(id);
    void refetch({ cancelRefetch: false }).then(({ isError }) => {
      if (isError) for (const id of missing) readFor.delete(id);
    });
  });
  return (id) => {
    const found = data?.find(({ operator_id }) => operator_id === id);
    if (data && !found && id.startsWith('opr_')) unknown.add(id);
    return found;
  };
}

/** People are few: all pages. */
async function readAll(): Promise<readonly Operator[]> {
  const found: Operator[] = [];
  for (let after: string | undefined, hasMore = true; hasMore; ) {
    const query = { limit: 200, ...(after !== undefined && { after }) };
    const page = await answerOf(client.GET('/operator/v1/operators', { params: { query } }));
    found.push(...page.operators);
    [after, hasMore] = [page.next_after, page.has_more];
  }
  return found;
}

/** Whether another operator has the name too, or an account of the service is called so. */
function useIsShared(): (operator: Operator) => boolean {
  const operators = useOperators().data ?? [];
  const accounts: readonly string[] = Object.values(useTexts(ACCOUNT_NAME));
  return ({ operator_id, name }) =>
    accounts.includes(name) || operators.some((other) => other.name === name && other.operator_id !== operator_id);
}

/** The name of an operator, with the id where the name is shared; as long as the operators are not read, the name that is known, or the id. */
export function useNameOf(): (operatorId: string, known?: string) => string {
  const operatorOf = useOperatorOf();
  const isShared = useIsShared();
  return (operatorId, known = operatorId) => {
    const found = operatorOf(operatorId);
    if (!found) return known;
    return isShared(found) ? `${found.name} (${isolate(operatorId)})` : found.name;
  };
}

/** The name, with the id as its hint; in sight, in short, where the name is shared. */
export function Person({ id }: { readonly id: string }) {
  const found = useOperatorOf()(id);
  const isShared = useIsShared();
  const accounts = useTexts(ACCOUNT_NAME);
  if (Object.hasOwn(accounts, id)) return <CodeLabel code={id} words={accounts} />;
  if (!found) return <Id id={id} isShort />;
  return (
    <span {...hint(id)}>
      <Foreign text={found.name} />
      {isShared(found) && (
        <>
          {' '}
          <bdi dir="ltr" className="id">
            {shortId(id)}
          </bdi>
        </>
      )}
    </span>
  );
}

/** The name of each operator by the id, with the id where the name is shared. */
export function usePeople(): ReadonlyMap<string, string> {
  const isShared = useIsShared();
  const labelOf = (each: Operator) => (isShared(each) ? `${each.name} · ${each.operator_id}` : each.name);
  return new Map(useOperators().data?.map((each) => [each.operator_id, labelOf(each)]));
}
