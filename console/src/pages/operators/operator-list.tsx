import { Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { Page } from '../../layout/page.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { Email } from '../../parts/codes/email.tsx';
import { WithCode } from '../../parts/codes/with-code.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { EmptyList } from '../../parts/state.tsx';
import { Foreign, Id, Time } from '../../parts/values.tsx';
import { useMay, useSession } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { SHELL } from '../../texts/shell-texts.ts';
import { AddOperator } from './add-operator.tsx';
import { OperatorActions, OperatorStepDialog, useNewLink, type WantedOperatorStep } from './operator-actions.tsx';
import { OPERATOR } from './operator-texts.ts';

type Operator = components['schemas']['Operator'];
type Role = Operator['role'];

export function OperatorList() {
  const t = useTexts(OPERATOR);
  const common = useTexts(COMMON);
  const roles = useTexts(SHELL);
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['role', 'status']);
  const { active, disabled } = useTexts(STATUS);
  const { viewer, operator, approver, admin } = roles;
  const mayChange = useMay('admin');
  const { sort, sorting } = useSort(['created_at', 'name'], 'created_at');
  const wanted = present({
    sort,
    role: filters.role as Role | undefined,
    status: filters.status as 'active' | 'disabled' | undefined,
  });
  const query = usePages(['operators', wanted], (place) =>
    answerOf(client.GET('/operator/v1/operators', { params: { query: { ...wanted, ...place } } })),
  );
  const [asked, setAsked] = useState<WantedOperatorStep>();
  const reset = useNewLink();
  return (
    <Page title={t.title} description={t.help} actions={<AddOperator />}>
      <Filters names={filterNames}>
        <ChoiceFilter
          label={t.role}
          options={{ viewer, operator, approver, admin }}
          value={filters.role}
          onChange={(role) => setFilters({ role })}
        />
        <ChoiceFilter
          label={common.status}
          options={{ active, disabled }}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
      </Filters>
      <RecordPages
        label={t.title}
        query={query}
        sorting={sorting}
        csv={csvAddress('operators', wanted)}
        rowsOf={({ operators }) => operators}
        keyOf={({ operator_id }) => operator_id}
        empty={<EmptyList isFiltered={isFiltered} texts={{ nothingYet: t.nothing }} icon="people" />}
        columns={[
          { label: t.name, sort: 'name', sortKind: 'name', show: (each) => <Name operator={each} /> },
          { label: t.email, show: ({ email }) => <Email address={email} /> },
          { label: t.role, show: ({ role }) => roles[role] },
          { label: common.status, show: ({ status }) => <StatusBadge status={status} /> },
          { label: t.since, sort: 'created_at', show: ({ created_at }) => <Time at={created_at} style="day" /> },
          { label: t.id, show: ({ operator_id }) => <Id id={operator_id} isShort /> },
          {
            label: common.actions,
            isLabelHidden: true,
            show: (each) => <OperatorActions operator={each} onStep={setAsked} />,
          },
        ]}
      />
      {asked && <OperatorStepDialog {...asked} reset={reset} onClose={() => setAsked(undefined)} />}
      {mayChange && (
        <Text size="sm" c="dimmed">
          <WithCode text={t.commands} />
        </Text>
      )}
    </Page>
  );
}

/** The name of an operator; the reader's own name has a word that says so. */
function Name({ operator: { operator_id, name } }: { readonly operator: Operator }) {
  const { you } = useTexts(OPERATOR);
  const isOwn = useSession().operator.operatorId === operator_id;
  if (!isOwn) return <Foreign text={name} />;
  return (
    <span>
      <Foreign text={name} />{' '}
      <Text span size="sm" c="dimmed">
        ({you})
      </Text>
    </span>
  );
}
