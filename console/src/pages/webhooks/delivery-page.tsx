import { Badge, Button, Code, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { useChange } from '../../api/use-change.ts';
import { LIVE_MS } from '../../app/query-client.ts';
import { beginningOf } from '../../format/beginning-of.ts';
import { Page } from '../../layout/page.tsx';
import { RecordLink } from '../../layout/record-link.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { CodeLabelInFull } from '../../parts/code-label.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PartnerLink, PartnerTime } from '../../parts/partner.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Records } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Absent, Age, Id, Points } from '../../parts/values.tsx';
import { useMay, useSession } from '../../session/session.tsx';
import { EVENT_TYPE } from '../../texts/code-texts.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { useAboutFact } from './about-fact.tsx';
import { useAttemptAnswer } from './attempt-answer.ts';
import { EndpointLink, useEndpointAddress } from './endpoint-link.tsx';
import { OrderLink } from './order-link.tsx';
import { SentBody } from './sent-body.tsx';
import { TRIGGER, WEBHOOK } from './webhook-texts.ts';

type Delivery = components['schemas']['Delivery'];
type Detail = components['schemas']['DeliveryDetail'];
type Attempt = components['schemas']['Attempt'];

/** What waits is sent within moments, unless its endpoint fails. */
const WAITING_MS = 2_000;
/** Within which a test or a sample is attempted; without an attempt after it, the process that made it has died. */
const ATTEMPTED_MS = 60_000;

/** A test or a sample is `failed` until its one attempt delivers it. */
function isSoonSent({ status, attempts, created_at }: Delivery): boolean {
  if (status === 'failed') return attempts === 0 && serviceNow() - Date.parse(created_at) < ATTEMPTED_MS;
  return status === 'waiting';
}

export function DeliveryPage() {
  const t = useTexts(WEBHOOK);
  const { partnerId = '', deliveryId = '' } = useParams({ strict: false });
  const path = { partner_id: partnerId, delivery_id: deliveryId };
  const { eventDays } = useSession();
  const delivery = useQuery({
    queryKey: ['delivery', path],
    refetchInterval: ({ state }) => (state.data && isSoonSent(state.data.delivery) ? WAITING_MS : LIVE_MS),
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/deliveries/{delivery_id}', { params: { path } })),
  });
  const endpointId = delivery.data?.delivery.endpoint_id;
  const address = useEndpointAddress(partnerId, endpointId);
  return (
    <Page
      title={t.delivery}
      id={deliveryId}
      parent={endpointId !== undefined && { to: `/webhooks/${partnerId}/${endpointId}`, label: address }}
      description={<Id id={deliveryId} />}
      actions={delivery.data && <Resend delivery={delivery.data.delivery} />}
    >
      <Loaded query={delivery} notFound={eventDays === undefined ? undefined : t.removedAfter(eventDays)}>
        {(detail) => (
          <Stack gap="xl">
            <DeliveryFacts detail={detail} />
            <Section title={t.attempts}>
              <Attempts partnerId={partnerId} attempts={detail.attempts} />
            </Section>
            {detail.body !== null && <SentBody eventId={detail.delivery.event_id} deliveryId={deliveryId} body={detail.body} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Resend({ delivery: { partner_id, delivery_id, status } }: { readonly delivery: Delivery }) {
  const t = useTexts(WEBHOOK);
  const resend = useChange({
    send: (_nothing: undefined, key) =>
      answerOf(
        client.POST('/operator/v1/partners/{partner_id}/deliveries/{delivery_id}/resend', {
          params: { path: { partner_id, delivery_id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    done: t.resent(delivery_id),
  });
  // What is held is sent when its endpoint is enabled.
  if (!useMay('operator') || status === 'held') return null;
  return (
    <>
      <Problem error={resend.error} />
      <Button loading={resend.isPending} onClick={() => resend.mutate(undefined)}>
        {t.resend}
      </Button>
    </>
  );
}

/** With what a held delivery waits for. */
function DeliveryStatus({ status }: Pick<Delivery, 'status'>) {
  const { heldHelp } = useTexts(WEBHOOK);
  const badge = <StatusBadge status={status} />;
  return status === 'held' ? <TwoLines first={badge} second={heldHelp} /> : badge;
}

function DeliveryFacts({ detail: { delivery, subject_id } }: { readonly detail: Detail }) {
  const t = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const triggers = useTexts(TRIGGER);
  const eventTypes = useTexts(EVENT_TYPE);
  const { partner_id, endpoint_id } = delivery;
  const aboutFact = useAboutFact(partner_id);
  return (
    <Facts
      columns={3}
      facts={[
        { label: common.status, value: <DeliveryStatus status={delivery.status} /> },
        { label: common.partner, value: <PartnerLink id={partner_id} /> },
        { label: t.endpoint, value: <EndpointLink partnerId={partner_id} endpointId={endpoint_id} /> },
        { label: t.event, value: <CodeLabelInFull code={delivery.event_type} words={eventTypes} /> },
        ...(delivery.transaction_id === null ? [] : [{ label: common.order, value: <OrderLink delivery={delivery} /> }]),
        { label: t.occurred, value: <PartnerTime partnerId={partner_id} at={delivery.occurred_at} style="second" /> },
        ...aboutFact(subject_id),
        { label: t.eventId, value: <EventId delivery={delivery} /> },
        { label: t.trigger, value: triggers[delivery.trigger] },
        { label: t.attempts, value: <Points value={String(delivery.attempts)} /> },
        ...(delivery.next_attempt_at === null ? [] : [{ label: t.next, value: <NextAttempt delivery={delivery} /> }]),
      ]}
    />
  );
}

/** How soon, and when. */
function NextAttempt({ delivery: { partner_id, next_attempt_at: at } }: { readonly delivery: Delivery }) {
  return <TwoLines first={<Age at={at} />} second={<PartnerTime partnerId={partner_id} at={at} style="second" />} />;
}

/** A test has no event of its own. */
function EventId({ delivery: { partner_id, event_id, sequence } }: { readonly delivery: Delivery }) {
  return sequence === null ? <Id id={event_id} /> : <RecordLink partnerId={partner_id} id={event_id} />;
}

function Attempts({ partnerId, attempts }: { readonly partnerId: string; readonly attempts: readonly Attempt[] }) {
  const t = useTexts(WEBHOOK);
  return (
    <Records
      label={t.attempts}
      rows={attempts}
      keyOf={({ number }) => number}
      empty={<Empty title={t.noAttempt} icon="clock" />}
      columns={[
        { label: t.started, show: ({ started_at }) => <PartnerTime partnerId={partnerId} at={started_at} style="second" /> },
        { label: t.answer, show: (attempt) => <AnswerBadge attempt={attempt} /> },
        { label: t.took, isFigure: true, show: ({ milliseconds }) => t.milliseconds(milliseconds) },
        {
          label: t.excerpt,
          show: ({ excerpt }) => (excerpt ? <Code className="foreign">{beginningOf(excerpt, 500)}</Code> : <Absent />),
        },
      ]}
    />
  );
}

/** The status by which a receiver ends its endpoint. */
const GONE = 410;

function AnswerBadge({ attempt }: { readonly attempt: Attempt }) {
  const { gone } = useTexts(WEBHOOK);
  const answerOfAttempt = useAttemptAnswer();
  const { status } = attempt;
  const isTaken = status !== null && status >= 200 && status < 300;
  const badge = <Badge color={isTaken ? 'forest' : 'red'}>{answerOfAttempt(attempt)}</Badge>;
  return status === GONE ? <TwoLines first={badge} second={gone} /> : badge;
}
