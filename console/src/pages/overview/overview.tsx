import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { Page } from '../../layout/page.tsx';
import { figureOf, NumberCard } from '../../parts/number-card.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Age } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { COUNTED } from '../../texts/record-texts.ts';
import { JobList } from './job-list.tsx';
import { Month, useMonthAhead } from './month.tsx';
import { OVERVIEW } from './overview-texts.ts';

type Answer = components['schemas']['Overview'];

export function Overview() {
  const t = useTexts(OVERVIEW);
  useMonthAhead();
  const overview = useQuery({ queryKey: ['overview'], queryFn: () => answerOf(client.GET('/operator/v1/overview')) });
  return (
    <Page title={t.title}>
      <Loaded query={overview}>
        {(answer) => (
          <Stack gap="xl">
            <Waiting answer={answer} />
            <Month />
            <Webhooks webhooks={answer.webhooks} />
            <Section title={t.jobs}>
              <JobList jobs={answer.jobs} />
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Waiting({ answer }: { readonly answer: Answer }) {
  const t = useTexts(OVERVIEW);
  const counted = useTexts(COUNTED);
  const { reviews } = answer;
  return (
    <Section title={t.waiting}>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', xs: 'md' }} className="number-cards">
        <NumberCard
          label={t.reviews}
          to="/reviews"
          {...figureOf(reviews)}
          detail={
            reviews.count === 0 ? (
              t.nothingWaits
            ) : (
              <>
                {counted.points(reviews.points)} · {t.nextExpiry} <Age at={reviews.next_expires_at} />
              </>
            )
          }
        />
        <NumberCard label={t.adjustmentsToApprove} to="/adjustments?status=draft" {...figureOf(answer.adjustments_to_approve)} />
        <NumberCard label={t.adjustmentsToPost} to="/adjustments?status=approved" {...figureOf(answer.adjustments_to_post)} />
        <NumberCard label={t.failuresToApprove} to="/failures?status=drafted" {...figureOf(answer.failures_to_approve)} />
        <NumberCard label={t.batchesToVerify} to="/impact?status=delivered" {...figureOf(answer.batches_to_verify)} />
        <NumberCard
          label={t.disputes}
          to="/settlements?answer=disputed"
          {...figureOf(answer.disputes)}
          isAlarming={answer.disputes.count > answer.disputes.answered}
          detail={answer.disputes.answered > 0 && t.answered(String(answer.disputes.answered))}
        />
        <NumberCard label={t.unacknowledged} to="/settlements?answer=pending" {...figureOf(answer.unacknowledged_settlements)} />
      </SimpleGrid>
    </Section>
  );
}

/** The service counts deliveries so far. */
const COUNTED_MAX = 10_000;

function Webhooks({ webhooks }: { readonly webhooks: Answer['webhooks'] }) {
  const t = useTexts(OVERVIEW);
  const { disabled, failing, waiting, oldest_waiting_seconds, exhausted } = webhooks;
  const show = (count: number) => figureOf({ count, is_more: false });
  const showCounted = (count: number) => figureOf({ count, is_more: count >= COUNTED_MAX });
  const oldestAt = new Date(serviceNow() - oldest_waiting_seconds * 1000).toISOString();
  return (
    <Section title={t.webhooks}>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', xs: 'md' }} className="number-cards">
        <NumberCard
          label={t.disabled}
          to="/webhooks?state=disabled"
          {...show(disabled)}
          isAlarming={disabled > 0}
          detail={disabled > 0 && t.held}
        />
        <NumberCard label={t.failing} to="/webhooks?state=failing" {...show(failing)} isAlarming={failing > 0} />
        <NumberCard
          label={t.deliveriesWaiting}
          to="/webhooks?undelivered=waiting"
          {...showCounted(waiting)}
          detail={
            waiting > 0 && (
              <>
                {t.oldest} <Age at={oldestAt} />
              </>
            )
          }
        />
        <NumberCard
          label={t.exhausted}
          to="/webhooks?undelivered=exhausted"
          {...showCounted(exhausted)}
          isAlarming={exhausted > 0}
        />
      </SimpleGrid>
    </Section>
  );
}
