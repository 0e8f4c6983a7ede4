/** Operators by their names: beside an id, and as a filter. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { answerOf, client } from '../api/client.ts';
import type { components } from '../api/operator-types.ts';
import { ACCOUNT_NAME } from '../texts/code-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { CodeLabel } from './code-label.tsx';
import { ChoiceFilter } from './filters.tsx';
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

/** An operator by the id; somebody who was added since the names were read makes them be read again. */
function useOperator(id: string): Operator | undefined {
  const { data, refetch } = useOperators();
  const found = data?.find(({ operator_id }) => operator_id === id);
  const isUnknown = data !== undefined && found === undefined && id.startsWith('opr_');
  useEffect(() => {
    if (!isUnknown || readFor.has(id)) return;
    readFor.add(id);
    void refetch({ cancelRefetch: false }).then(({ isError }) => isError && readFor.delete(id));
  }, [isUnknown, id, refetch]);
  return found;
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

/** The name of an operator, or the id as long as it is not known. */
export function useNameOf(): (operatorId: string) => string {
  const operators = useOperators().data;
  return (operatorId) => operators?.find(({ operator_id }) => operator_id === operatorId)?.name ?? operatorId;
}

export function Person({ id }: { readonly id: string }) {
  const found = useOperator(id);
  const accounts = useTexts(ACCOUNT_NAME);
  if (Object.hasOwn(accounts, id)) return <CodeLabel code={id} words={accounts} />;
  return found ? <Foreign text={found.name} /> : <Id id={id} isShort />;
}

interface PersonFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (operatorId: string | undefined) => void;
}

export function PersonFilter({ label, value, onChange }: PersonFilterProps) {
  const names = Object.fromEntries(useOperators().data?.map(({ operator_id, name }) => [operator_id, name]) ?? []);
  return <ChoiceFilter label={label} options={names} value={value} onChange={onChange} />;
}
