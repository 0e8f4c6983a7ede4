/** What the search found: what each is, whose, its state and its day. */
import type { ReactNode } from 'react';
import type { components } from '../api/operator-types.ts';
import { isolateForeign } from '../format/isolate.ts';
import { FailureBadge, type FailureStatus } from '../pages/failures/failure-badge.tsx';
import { PlantingBadge, type PlantingStatus } from '../pages/impact/planting-badge.tsx';
import { EndpointBadge, type EndpointStatus, StatusBadge } from '../parts/badges.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { PartnerTime } from '../parts/partner.tsx';
import { Foreign, Time } from '../parts/values.tsx';
import { FOUND } from '../texts/code-texts.ts';
import { useTexts } from '../texts/language.tsx';
import type { STATUS } from '../texts/record-texts.ts';
import { pageOfRecord } from './record-pages.ts';

type Found = components['schemas']['SearchResult'];
type FoundRecord = components['schemas']['FoundRecord'];

export interface Result {
  readonly to: string;
  readonly label: ReactNode;
  readonly description?: ReactNode;
  readonly left: ReactNode;
  readonly right?: ReactNode;
}

/** The service finds no more of one name. */
const FOUND_MAX = 20;

export function useResults(found: Found | undefined, text: string): readonly Result[] {
  const t = useTexts(FOUND);
  if (!found) return [];
  return [
    ...found.contributions.map(({ partner_id, partner_name, transaction_id, status, created_at, ...names }) => ({
      to: `/contributions/${partner_id}/${transaction_id}`,
      label: <Foreign text={names[nameOf(names.found_by)]} />,
      description: <Described what={t.contribution} partnerId={partner_id} partnerName={partner_name} at={created_at} />,
      left: <Icon name="inbox" />,
      right: <StatusBadge status={status} />,
    })),
    ...(found.contributions.length < FOUND_MAX
      ? []
      : [{ to: `/contributions?of=${encodeURIComponent(text)}`, label: t.more, left: <Icon name="inbox" /> }]),
    ...found.partners.map(({ partner_id, name, status, created_at }) => ({
      to: `/partners/${partner_id}`,
      label: <Foreign text={name} />,
      description: <Described what={t.partner} partnerId={null} partnerName={null} at={created_at} />,
      left: <Icon name="building" />,
      right: <StatusBadge status={status} />,
    })),
    ...found.records.map((record) => {
      const { kind, partner_id, partner_name, id, created_at } = record;
      return {
        to: pageOfRecord(record),
        label: id,
        left: <Icon name={ICONS[kind] ?? 'list'} />,
        right: badgeOf(record),
        description: <Described what={t[kind]} partnerId={partner_id} partnerName={partner_name} at={created_at} />,
      };
    }),
  ];
}

interface DescribedProps {
  readonly what: string;
  /** Whose it is; `null` where it belongs to no partner. */
  readonly partnerId: string | null;
  readonly partnerName: string | null;
  readonly at: string | null;
}

/** What it is, whose, and when it was made, in the zone and the form of the lists. */
function Described({ what, partnerId, partnerName, at }: DescribedProps) {
  return (
    <>
      {partnerName === null ? what : `${what} · ${isolateForeign(partnerName)}`}
      {at && ' · '}
      {at && (partnerId === null ? <Time at={at} style="day" /> : <PartnerTime partnerId={partnerId} at={at} />)}
    </>
  );
}

/** The name by which it was found: the order, where it was found by none that is shown. */
function nameOf(foundBy: readonly string[]): 'partner_order_ref' | 'partner_event_id' {
  return foundBy.includes('partner_event_id') && !foundBy.includes('partner_order_ref')
    ? 'partner_event_id'
    : 'partner_order_ref';
}

const ICONS: Readonly<Partial<Record<FoundRecord['kind'], IconName>>> = {
  settlement: 'coins',
  adjustment: 'scales',
  endpoint: 'webhook',
  delivery: 'webhook',
  event: 'webhook',
  reconciliation: 'compare',
  failure: 'cross',
  impact_batch: 'leaf',
};

function badgeOf({ kind, status }: FoundRecord): ReactNode {
  if (status === null) return undefined;
  if (kind === 'impact_batch') return <PlantingBadge status={status as PlantingStatus} />;
  if (kind === 'failure') return <FailureBadge status={status as FailureStatus} />;
  if (kind === 'endpoint') return <EndpointBadge status={status as EndpointStatus} />;
  return <StatusBadge status={status as keyof typeof STATUS} />;
}
