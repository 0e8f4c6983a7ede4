import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import { Page } from '../../layout/page.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { Records } from '../../parts/records.tsx';
import { Empty, Loaded } from '../../parts/state.tsx';
import { Foreign, Id, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { SHELL } from '../../texts/shell-texts.ts';
import { AddOperator } from './add-operator.tsx';
import { OPERATOR } from './operator-texts.ts';

export function OperatorList() {
  const t = useTexts(OPERATOR);
  const common = useTexts(COMMON);
  const roles = useTexts(SHELL);
  const operators = useQuery({ queryKey: ['operators'], queryFn: () => answerOf(client.GET('/operator/v1/operators')) });
  return (
    <Page title={t.title} description={t.help} actions={<AddOperator />}>
      <Loaded query={operators}>
        {(answer) => (
          <Records
            label={t.title}
            rows={answer.operators}
            keyOf={({ operator_id }) => operator_id}
            empty={<Empty title={t.nothing} icon="people" />}
            columns={[
              { label: t.name, show: ({ name }) => <Foreign text={name} /> },
              { label: t.email, show: ({ email }) => <Foreign text={email} /> },
              { label: t.role, show: ({ role }) => roles[role] },
              { label: common.status, show: ({ status }) => <StatusBadge status={status} /> },
              { label: t.since, show: ({ created_at }) => <Time at={created_at} style="day" /> },
              { label: t.id, show: ({ operator_id }) => <Id id={operator_id} isShort /> },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}
