import { Badge, Stack } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../../api/client.ts';
import { csvAddress } from '../../../api/csv-address.ts';
import type { components } from '../../../api/operator-types.ts';
import { pathOf } from '../../../api/path-of.ts';
import { present } from '../../../api/present.ts';
import { usePages } from '../../../api/use-pages.ts';
import { useFilters } from '../../../app/use-filters.ts';
import { useSort } from '../../../app/use-sort.ts';
import { ChoiceFilter, Filters } from '../../../parts/filters.tsx';
import { PartnerTime } from '../../../parts/partner.tsx';
import { RecordPages } from '../../../parts/records.tsx';
import { Empty } from '../../../parts/state.tsx';
import { Foreign, Id } from '../../../parts/values.tsx';
import { COMMON } from '../../../texts/common-texts.ts';
import { useTexts } from '../../../texts/language.tsx';
import { KeyActions, KeyStepDialog, useReplacement, type WantedKeyStep } from './key-actions.tsx';
import { SET_UP } from './set-up-texts.ts';

type Permission = components['schemas']['ApiKey']['permission'];
type Status = components['schemas']['ApiKey']['status'];

const COLORS: Readonly<Record<Status, string>> = { active: 'forest', expired: 'gray', revoked: 'red' };

interface KeyListProps {
  readonly partnerId: string;
  readonly onIssued: (issued: components['schemas']['IssuedApiKey']) => void;
}

/** The keys that a partner has and had. */
export function KeyList({ partnerId, onIssued }: KeyListProps) {
  const t = useTexts(SET_UP);
  const common = useTexts(COMMON);
  const { read_write, manage, read_only, active, expired, revoked } = t;
  const { filterNames, filters, setFilters } = useFilters(['status', 'permission']);
  const { sort, sorting } = useSort(['created_at', 'name'], 'created_at');
  const permission = filters.permission as Permission | undefined;
  const wanted = present({ sort, permission, status: filters.status as Status | undefined });
  const query = usePages(['keys', partnerId, wanted], (place) =>
    answerOf(
      client.GET('/operator/v1/partners/{partner_id}/keys', {
        params: { path: { partner_id: partnerId }, query: { ...wanted, ...place } },
      }),
    ),
  );
  const [asked, setAsked] = useState<WantedKeyStep>();
  const replace = useReplacement((issued) => {
    setAsked(undefined);
    onIssued(issued);
  });
  return (
    <Stack gap="sm">
      <Filters names={filterNames}>
        <ChoiceFilter
          label={common.status}
          options={{ active, expired, revoked }}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
        <ChoiceFilter
          label={t.permission}
          options={{ read_write, manage, read_only }}
          value={filters.permission}
          onChange={(chosen) => setFilters({ permission: chosen })}
        />
      </Filters>
      <RecordPages
        label={t.key}
        query={query}
        sorting={sorting}
        csv={csvAddress(pathOf`partners/${partnerId}/keys`, wanted)}
        rowsOf={({ keys }) => keys}
        keyOf={({ key_id }) => key_id}
        empty={<Empty title={t.noKey} icon="key" />}
        columns={[
          { label: t.keyName, sort: 'name', sortKind: 'name', show: ({ name }) => <Foreign text={name} /> },
          {
            label: common.status,
            show: ({ status }) => <Badge color={COLORS[status]}>{t[status]}</Badge>,
          },
          { label: t.permission, show: (key) => t[key.permission] },
          {
            label: t.allowedFrom,
            isGiven: ({ allowed_addresses }) => allowed_addresses.length > 0,
            show: ({ allowed_addresses }) => <Addresses of={allowed_addresses} />,
          },
          {
            label: common.created,
            sort: 'created_at',
            show: ({ created_at }) => <PartnerTime partnerId={partnerId} at={created_at} style="day" />,
          },
          {
            label: t.ends,
            isGiven: ({ expires_at }) => expires_at !== null,
            show: ({ expires_at }) => <PartnerTime partnerId={partnerId} at={expires_at} />,
          },
          { label: t.lastUsed, show: ({ last_used_at }) => <PartnerTime partnerId={partnerId} at={last_used_at} /> },
          { label: t.keyId, show: ({ key_id }) => <Id id={key_id} isShort /> },
          {
            label: common.actions,
            isLabelHidden: true,
            show: (key) => <KeyActions apiKey={key} isInDoubt={replace.inDoubt.includes(key.key_id)} onStep={setAsked} />,
          },
        ]}
      />
      {asked && <KeyStepDialog {...asked} replace={replace} onClose={() => setAsked(undefined)} />}
    </Stack>
  );
}

/** From where a key may be used: each address, or block of addresses, on a line. */
function Addresses({ of: addresses }: { readonly of: readonly string[] }) {
  const t = useTexts(SET_UP);
  if (addresses.length === 0) return t.everyAddress;
  return (
    <div>
      {addresses.map((address) => (
        <div key={address}>
          <bdi dir="ltr">{address}</bdi>
        </div>
      ))}
    </div>
  );
}
