import { Box, Button, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { addWhole } from '../../format/points.ts';
import { Page } from '../../layout/page.tsx';
import { type Chosen, useChosen, useChosenRows } from '../../parts/chosen/chosen.ts';
import { ChosenBar } from '../../parts/chosen/chosen-bar.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { PartnerFilter, PartnerTime } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Age, Foreign, Points } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { REVIEW_REASON } from '../../texts/record-texts.ts';
import { DecideDialog, type WantedDecision } from './decide-dialog.tsx';
import type { NotDecided } from './not-decided.tsx';
import { REVIEW } from './review-texts.ts';
import { useStillWaiting } from './still-waiting.ts';

type Review = components['schemas']['Review'];
const FILTERS = ['reason', 'partner', 'age'] as const;
type Filter = (typeof FILTERS)[number];

const AGES_HOURS = [1, 6, 24, 48];
const keyOf = ({ contribution }: Review) => contribution.transaction_id;

export function ReviewList() {
  const t = useTexts(REVIEW);
  const reasons = useTexts(REVIEW_REASON);
  const { filters, setFilters } = useFilters(FILTERS);
  const ages = Object.fromEntries(AGES_HOURS.map((hours) => [String(hours), t.hours(hours)]));
  return (
    <Page title={t.title} description={t.help}>
      <Filters names={FILTERS}>
        <ChoiceFilter label={t.reason} options={reasons} value={filters.reason} onChange={(reason) => setFilters({ reason })} />
        <PartnerFilter value={filters.partner} onChange={(partner) => setFilters({ partner })} />
        <ChoiceFilter label={t.age} options={ages} value={filters.age} onChange={(age) => setFilters({ age })} />
      </Filters>
      <Waiting filters={filters} />
    </Page>
  );
}

/** To the minute. */
function openedBefore(ageHours: string | undefined): string | undefined {
  const hours = AGES_HOURS.find((each) => String(each) === ageHours);
  if (hours === undefined) return undefined;
  return new Date((Math.floor(serviceNow() / 60_000) - hours * 60) * 60_000).toISOString();
}

/** Each reading of the list moves the age with the clock: its first page states when, and each page after it what the one before it stated. */
function useOpenedBefore(age: string | undefined) {
  const stated = useRef(new Map<string, string | undefined>());
  return async <Answer extends { readonly next_after: string | null }>(
    { after }: { readonly after?: string },
    read: (age: { readonly opened_before?: string }) => Promise<Answer>,
  ): Promise<Answer> => {
    const before = after !== undefined && stated.current.has(after) ? stated.current.get(after) : openedBefore(age);
    const answer = await read(present({ opened_before: before }));
    if (answer.next_after !== null) stated.current.set(answer.next_after, before);
    return answer;
  };
}

function Waiting({ filters }: { readonly filters: Readonly<Partial<Record<Filter, string>>> }) {
  const t = useTexts(REVIEW);
  const common = useTexts(COMMON);
  const reasons = useTexts(REVIEW_REASON);
  const mayDecide = useMay('operator');
  const chosen = useChosen<Review>(JSON.stringify([filters.partner, filters.reason, filters.age]));
  const { sort, sorting } = useSort(['opened_at', 'points'], 'opened_at');
  const wanted = present({
    sort,
    partner_id: filters.partner,
    reason: filters.reason as Review['reason'],
  });
  const ofAge = useOpenedBefore(filters.age);
  const query = usePages(['reviews', wanted, filters.age], (place) =>
    ofAge(place, (age) => answerOf(client.GET('/operator/v1/reviews', { params: { query: { ...wanted, ...age, ...place } } }))),
  );
  const listed = query.data?.pages.flatMap((page) => page.reviews) ?? [];
  const isRead = query.data !== undefined && !query.isPlaceholderData;
  useStillWaiting(chosen, isRead ? { listed, sort, isWhole: !query.hasNextPage } : undefined);
  return (
    <>
      <RecordPages
        label={t.title}
        query={query}
        sorting={sorting}
        csv={csvAddress('reviews', { ...wanted, ...present({ opened_before: openedBefore(filters.age) }) })}
        rowsOf={(page) => page.reviews}
        keyOf={keyOf}
        linkOf={({ contribution }) => `/reviews/${contribution.partner_id}/${contribution.transaction_id}`}
        {...(mayDecide && { selection: { chosen, label: t.choose } })}
        nameOf={({ contribution, partner_name }) => `${contribution.partner_order_ref} · ${partner_name}`}
        empty={
          <Empty title={t.nothing}>
            {wanted.partner_id || wanted.reason || filters.age ? t.nothingHelp : t.nothingHelpOfAll}
          </Empty>
        }
        columns={[
          { label: common.partner, narrow: 'plain', show: ({ partner_name }) => <Foreign text={partner_name} /> },
          { label: common.order, narrow: 'title', show: ({ contribution }) => <Foreign text={contribution.partner_order_ref} /> },
          {
            label: common.points,
            isFigure: true,
            narrow: 'end',
            sort: 'points',
            show: ({ contribution }) => <Points value={contribution.points} />,
          },
          { label: t.reason, narrow: 'plain', show: ({ reason }) => reasons[reason] },
          {
            label: common.recorded,
            sort: 'opened_at',
            show: ({ contribution, opened_at }) => <HowLong partnerId={contribution.partner_id} at={opened_at} />,
          },
          {
            label: common.expires,
            show: ({ contribution, expires_at }) => <HowLong partnerId={contribution.partner_id} at={expires_at} />,
          },
        ]}
      />
      {mayDecide && <DecideBar isOffered={listed.length > 0} chosen={chosen} />}
      {!mayDecide && (
        <Text size="sm" c="dimmed">
          {t.viewerHelp}
        </Text>
      )}
    </>
  );
}

/** How long ago or how soon; on a wide screen with the time itself. */
function HowLong({ partnerId, at }: { readonly partnerId: string; readonly at: string }) {
  return (
    <TwoLines
      first={<Age at={at} />}
      second={
        <Box component="span" visibleFrom="sm">
          <PartnerTime partnerId={partnerId} at={at} />
        </Box>
      }
    />
  );
}

interface DecideBarProps {
  /** Not below an empty list. */
  readonly isOffered: boolean;
  readonly chosen: Chosen<Review>;
}

function DecideBar({ isOffered, chosen }: DecideBarProps) {
  const t = useTexts(REVIEW);
  const [wanted, setWanted] = useState<WantedDecision>();
  const rows = useChosenRows(chosen);
  const contributions = [...rows.values()].map(({ contribution }) => contribution);
  const points = String(addWhole(contributions.map((each) => each.points)));
  const isNone = contributions.length === 0;
  /** What somebody decided is not chosen any more. */
  const keepUndecided = (left: readonly NotDecided[]) => {
    const open = left.filter(({ decision }) => decision.earlier === null).map(({ contribution }) => contribution.transaction_id);
    chosen.set(new Map([...chosen.get()].filter(([id]) => open.includes(id))));
  };
  return (
    <>
      {isOffered && (
        <ChosenBar isNone={isNone} count={isNone ? t.noneChosen : t.chosen(contributions.length, points)}>
          {!isNone && (
            <>
              <Button onClick={() => setWanted({ decision: 'confirm', contributions })}>{t.confirm}</Button>
              <Button variant="light" color="red" onClick={() => setWanted({ decision: 'fail', contributions })}>
                {t.fail}
              </Button>
            </>
          )}
        </ChosenBar>
      )}
      <DecideDialog wanted={wanted} onClose={() => setWanted(undefined)} onDecided={keepUndecided} />
    </>
  );
}
