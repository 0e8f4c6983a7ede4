/** Contributions over all partners: the latest, or those that have a name. */
import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { StatusBadge } from '../../parts/badges.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PartnerLink, PartnerTime } from '../../parts/partner.tsx';
import { Records } from '../../parts/records.tsx';
import { EmptyList, Failure, Loading } from '../../parts/state.tsx';
import { Foreign, Id, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { CONTRIBUTION } from './contribution-texts.ts';

type Contribution = components['schemas']['NamedContribution'];

export function Latest() {
  const { latest } = useTexts(CONTRIBUTION);
  const query = useQuery({
    queryKey: ['contributions', 'latest'],
    queryFn: () => answerOf(client.GET('/operator/v1/latest-contributions')),
  });
  return <OverPartners query={query} note={latest} />;
}

/** @param text An order, an event id, a transaction, a key, or a correlation id that the service made. */
export function Named({ text, note }: { readonly text: string; readonly note: string }) {
  const query = useQuery({
    queryKey: ['search', text],
    queryFn: () => answerOf(client.GET('/operator/v1/search', { params: { query: { q: text } } })),
  });
  return <OverPartners query={query} named={text} note={note} isIncomplete={(query.data?.left_out ?? null) !== null} />;
}

interface OverPartnersProps {
  readonly query: {
    readonly data: { readonly contributions: readonly Contribution[] } | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly note: string;
  /** What is looked for; all are shown without it. */
  readonly named?: string;
  /** Whether a worker of a cluster, which has records of some partners, does not answer. */
  readonly isIncomplete?: boolean;
}

function OverPartners({ query: { data, error, refetch }, note, named, isIncomplete = false }: OverPartnersProps) {
  const t = useTexts(CONTRIBUTION);
  const common = useTexts(COMMON);
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {note}
      </Text>
      {isIncomplete && (
        <Alert color="yellow" icon={<Icon name="alert" />} role="status">
          {common.leftOut}
        </Alert>
      )}
      <Records
        label={t.title}
        rows={data.contributions}
        keyOf={({ transaction_id }) => transaction_id}
        linkOf={({ partner_id, transaction_id }) => `/contributions/${partner_id}/${transaction_id}`}
        empty={<EmptyList isFiltered={named !== undefined} texts={t} icon="search" />}
        columns={[
          { label: common.order, narrow: 'title', show: ({ partner_order_ref }) => <Foreign text={partner_order_ref} /> },
          { label: common.status, narrow: 'plain', show: ({ status }) => <StatusBadge status={status} /> },
          {
            label: common.partner,
            narrow: 'plain',
            show: ({ partner_id, partner_name }) => <PartnerLink id={partner_id} name={partner_name} />,
          },
          { label: common.points, isFigure: true, narrow: 'end', show: ({ points }) => <Points value={points} /> },
          {
            label: common.recorded,
            narrow: 'plain',
            show: ({ partner_id, created_at }) => <PartnerTime partnerId={partner_id} at={created_at} />,
          },
          { label: t.transaction, narrow: 'plain', show: ({ transaction_id }) => <Id id={transaction_id} isShort /> },
        ]}
      />
    </Stack>
  );
}
