import { Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { components } from '../../api/operator-types.ts';
import { Page } from '../../layout/page.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { Facts } from '../../parts/facts.tsx';
import { usePartner } from '../../parts/partner.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Id, Points, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { PartnerActions } from './partner-actions.tsx';
import { PartnerLists } from './partner-lists.tsx';
import { PartnerNow } from './partner-now.tsx';
import { PARTNER } from './partner-texts.ts';

type Partner = components['schemas']['Partner'];

export function PartnerPage() {
  const t = useTexts(PARTNER);
  const { partnerId = '' } = useParams({ strict: false });
  const partner = usePartner(partnerId, { isLive: true });
  return (
    <Page
      title={partner.data?.name ?? t.title}
      description={<Id id={partnerId} />}
      actions={partner.data && <PartnerActions partner={partner.data} />}
    >
      <Loaded query={partner}>{(record) => <PartnerFacts partner={record} />}</Loaded>
    </Page>
  );
}

function PartnerFacts({ partner }: { readonly partner: Partner }) {
  const t = useTexts(PARTNER);
  const common = useTexts(COMMON);
  const { partner_id: id, time_zone: zone } = partner;
  return (
    <Stack gap="xl">
      <Facts
        columns={3}
        facts={[
          { label: common.status, value: <StatusBadge status={partner.status} /> },
          { label: t.currency, value: partner.currency ?? t.noCurrency },
          { label: t.zone, value: <bdi dir="ltr">{zone}</bdi> },
          { label: t.since, value: <Time at={partner.created_at} zone={zone} /> },
          ...(partner.suspended_at ? [{ label: t.suspendedAt, value: <Time at={partner.suspended_at} zone={zone} /> }] : []),
        ]}
      />
      <PartnerNow partnerId={id} zone={zone} />
      <PartnerLists partnerId={id} />
      <Section title={t.rates}>
        <Facts
          columns={3}
          facts={[
            { label: t.writes, value: <Points value={String(partner.writes_per_second)} /> },
            { label: t.lookups, value: <Points value={String(partner.lookups_per_second)} /> },
            { label: t.reports, value: <Points value={String(partner.reports_per_second)} /> },
          ]}
        />
      </Section>
    </Stack>
  );
}
