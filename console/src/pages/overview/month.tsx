import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { pathOf } from '../../api/path-of.ts';
import { present } from '../../api/present.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { formatMonth, monthAt, monthsAnywhere, ownZone } from '../../format/time.ts';
import { Filters, TextFilter } from '../../parts/filters.tsx';
import { PartnerLink } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/state.tsx';
import { Absent, Age, Points, Time, Total } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { COUNTED } from '../../texts/record-texts.ts';
import { OVERVIEW } from './overview-texts.ts';

const MonthChart = lazy(async () => ({ default: (await import('./month-chart.tsx')).MonthChart }));

function useFigures(month: string) {
  return useQuery({
    queryKey: ['month', month],
    queryFn: () => answerOf(client.GET('/operator/v1/months/{month}', { params: { path: { month } } })),
  });
}

/** The month that the address names, or this one, which has begun for the reader hours before or after it begins in UTC. */
function useChosenMonth() {
  const { filters, setFilters } = useFilters(['month']);
  const now = serviceNow();
  const thisMonth = monthAt(now, ownZone());
  const month = /^20\d\d-(?:0[1-9]|1[0-2])$/.test(filters.month ?? '') ? (filters.month as string) : thisMonth;
  // A partner far away from the reader is in another month for hours.
  const { earliest, latest } = monthsAnywhere(now);
  return { month, hasNext: month < latest, isOver: month < earliest, setFilters };
}

/** Asks for what {@link Month} shows, before it is shown. */
export function useMonthAhead(): void {
  const { month } = useChosenMonth();
  useFigures(month);
  usePartnerMonths(month);
}

/** A month over all partners, by the calendar of each: its days, and what each partner has of it. */
export function Month() {
  const t = useTexts(OVERVIEW);
  const counted = useTexts(COUNTED);
  const { language } = useLanguage();
  const { month, hasNext, isOver, setFilters } = useChosenMonth();
  const all = useFigures(month);
  const turn = (by: number) => setFilters({ month: turned(month, by) });
  return (
    <Section
      title={formatMonth(month, language)}
      actions={
        <Group gap="xs">
          {all.data && (
            <Text size="sm" c="dimmed">
              {all.data.is_complete ? (
                <>
                  {t.asOf} <Time at={all.data.as_of} style="second" />
                </>
              ) : (
                t.addingUp
              )}
            </Text>
          )}
          <Button variant="default" size="xs" onClick={() => turn(-1)}>
            {t.monthBefore}
          </Button>
          <Button variant="default" size="xs" disabled={!hasNext} onClick={() => turn(1)}>
            {t.monthAfter}
          </Button>
        </Group>
      }
    >
      <Stack gap="md">
        <Paper p="md">
          <Loaded query={all}>
            {({ confirmed_count, confirmed_points, days, amounts }) => (
              <Stack gap="sm">
                <Group gap="lg">
                  <Text fw={600}>{counted.points(confirmed_points)}</Text>
                  <Text c="dimmed">{counted.contributions(confirmed_count)}</Text>
                  {amounts.map(({ amount, currency, minor_units }) => (
                    <Total key={currency} amount={amount} currency={currency} minorUnits={minor_units} />
                  ))}
                  <Text c="dimmed">{t.beforeAdjustments}</Text>
                </Group>
                <Suspense fallback={<Skeleton h={180} />}>
                  <MonthChart month={month} days={days} />
                </Suspense>
              </Stack>
            )}
          </Loaded>
        </Paper>
        <PartnerMonths month={month} isOver={isOver} />
      </Stack>
    </Section>
  );
}

function turned(month: string, by: number): string {
  const date = new Date(`${month}-15T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return date.toISOString().slice(0, 7);
}

function usePartnerMonths(month: string) {
  const { sort, sorting } = useSort(['created_at', 'name'], 'created_at');
  const { filterNames, filters, setFilters } = useFilters(['name']);
  const wanted = present({ sort, name: filters.name });
  const query = usePages(['partner-months', month, wanted], (place) =>
    answerOf(
      client.GET('/operator/v1/months/{month}/partners', {
        params: { path: { month }, query: { limit: 10, ...wanted, ...place } },
      }),
    ),
  );
  return { query, wanted, sorting, filterNames, name: filters.name, setFilters };
}

function PartnerMonths({ month, isOver }: { readonly month: string; readonly isOver: boolean }) {
  const t = useTexts(OVERVIEW);
  const common = useTexts(COMMON);
  const { query, wanted, sorting, filterNames, name, setFilters } = usePartnerMonths(month);
  return (
    <Stack gap="sm">
      <Filters names={filterNames}>
        <TextFilter label={common.partner} isSearch value={name} onChange={(typed) => setFilters({ name: typed })} width={300} />
      </Filters>
      <RecordPages
        label={t.partners}
        query={query}
        sorting={sorting}
        csv={csvAddress(pathOf`months/${month}/partners`, wanted)}
        rowsOf={({ partners }) => partners}
        keyOf={({ partner_id }) => partner_id}
        linkOf={({ partner_id }) => `/partners/${partner_id}`}
        empty={<Empty title={name ? common.nothingFits : t.noPartner} icon="building" />}
        columns={[
          {
            label: common.partner,
            sort: 'name',
            sortKind: 'name',
            show: ({ partner_id, name }) => <PartnerLink id={partner_id} name={name} />,
          },
          { label: t.confirmed, isFigure: true, show: ({ confirmed_count }) => <Points value={confirmed_count} /> },
          { label: t.failed, isFigure: true, show: ({ failed_count }) => <Points value={failed_count} /> },
          { label: t.confirmedPoints, isFigure: true, show: ({ confirmed_points }) => <Points value={confirmed_points} /> },
          {
            label: t.amountConfirmed,
            isFigure: true,
            isGiven: ({ amounts }) => amounts.length > 0,
            show: ({ amounts }) =>
              amounts.length === 0 ? (
                <Absent />
              ) : (
                <div>
                  {amounts.map(({ amount, currency, minor_units }) => (
                    <div key={currency}>
                      <Total amount={amount} currency={currency} minorUnits={minor_units} />
                    </div>
                  ))}
                </div>
              ),
          },
          // The open settlement is not of a month that is over.
          { label: t.closes, isGiven: () => !isOver, show: ({ open_settlement }) => <Age at={open_settlement?.period_end} /> },
        ]}
      />
    </Stack>
  );
}
