import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { isolate } from '../../format/isolate.ts';
import { formatDecimal } from '../../format/points.ts';
import { Page } from '../../layout/page.tsx';
import { AddressLink } from '../../parts/address-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PartnerLink, usePartner } from '../../parts/partner.tsx';
import { Records } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Foreign, Id, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { ESTIMATE, STEP, UNIT, VEHICLE } from './estimate-texts.ts';
import { NOT_ROUNDED, ROUNDED_HALF_UP } from './sheet-sentences.ts';

type Detail = components['schemas']['EstimateDetail'];

export function EstimatePage() {
  const t = useTexts(ESTIMATE);
  const { partnerId = '', calculationId = '' } = useParams({ strict: false });
  const path = { partner_id: partnerId, calculation_id: calculationId };
  const estimate = useQuery({
    queryKey: ['estimate', path],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/estimates/{calculation_id}', { params: { path } })),
  });
  return (
    <Page title={t.title} id={calculationId} description={<Id id={calculationId} />}>
      <Text size="sm" c="dimmed">
        {t.help}
      </Text>
      <Loaded query={estimate}>
        {(detail) => (
          <Stack gap="xl">
            <EstimateFacts partnerId={partnerId} detail={detail} />
            <Sheet detail={detail} />
            <Disclosure detail={detail} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

interface EstimateFactsProps {
  readonly partnerId: string;
  readonly detail: Detail;
}

function EstimateFacts({ partnerId, detail: { estimate, ends_at, transaction_id } }: EstimateFactsProps) {
  const t = useTexts(ESTIMATE);
  const common = useTexts(COMMON);
  const vehicles: Readonly<Record<string, string>> = useTexts(VEHICLE);
  const { language } = useLanguage();
  const zone = usePartner(partnerId).data?.time_zone;
  const { display } = estimate;
  return (
    <Facts
      columns={3}
      facts={[
        { label: common.partner, value: <PartnerLink id={partnerId} /> },
        { label: common.order, value: <Foreign text={estimate.partner_order_ref} isWhole /> },
        { label: t.shown, value: <b>{language === 'ar' ? display.formatted_ar : display.formatted_en}</b> },
        { label: t.distance, value: <Figure result={estimate.distance_km} unit={estimate.distance_unit} /> },
        { label: t.vehicle, value: vehicles[estimate.vehicle_category] ?? estimate.vehicle_category },
        {
          label: t.factor,
          value: (
            <>
              <bdi dir="ltr">{estimate.emission_factor_gco2e_per_km}</bdi> {t.perKm}
            </>
          ),
        },
        { label: t.calculated, value: <Time at={estimate.calculated_at} zone={zone} style="second" /> },
        { label: t.expires, value: <Time at={ends_at} zone={zone} style="second" /> },
        { label: t.link, value: <Linked partnerId={partnerId} transactionId={transaction_id} /> },
        { label: t.methodology, value: <span className="id">{estimate.methodology_version}</span> },
        { label: t.catalogue, value: <span className="id">{estimate.vehicle_catalog_version}</span> },
        { label: t.factors, value: <span className="id">{estimate.emission_factor_version}</span> },
      ]}
    />
  );
}

function Linked({ partnerId, transactionId }: { readonly partnerId: string; readonly transactionId: string | null }) {
  const { noLink } = useTexts(ESTIMATE);
  if (transactionId === null) return noLink;
  return (
    <AddressLink to={`/contributions/${partnerId}/${transactionId}`} className="text-link id">
      {transactionId}
    </AddressLink>
  );
}

function Sheet({ detail: { calculation } }: { readonly detail: Detail }) {
  const t = useTexts(ESTIMATE);
  const steps: Readonly<Record<string, string>> = useTexts(STEP);
  return (
    <Section title={t.sheet}>
      <Records
        label={t.sheet}
        rows={calculation.steps}
        keyOf={({ name }) => name}
        empty={null}
        columns={[
          { label: t.step, show: ({ name }) => steps[name] ?? name },
          {
            label: t.expression,
            show: ({ expression }) => <Expression text={expression} />,
          },
          {
            label: t.result,
            isFigure: true,
            show: ({ result, unit }) => (unit === null ? <Truth value={result} /> : <Figure result={result} unit={unit} />),
          },
        ]}
      />
    </Section>
  );
}

/** Arithmetic as it is, and the two that are sentences in the language of the reader. */
function Expression({ text }: { readonly text: string }) {
  const t = useTexts(ESTIMATE);
  const [, kilograms] = ROUNDED_HALF_UP.exec(text) ?? [];
  if (kilograms !== undefined) return t.roundedHalfUp(isolate(kilograms));
  if (text === NOT_ROUNDED) return t.notRounded;
  return (
    <bdi dir="ltr" className="foreign">
      {text.replace(/\d+(?:\.\d+)?/g, formatDecimal)}
    </bdi>
  );
}

function Figure({ result, unit }: { readonly result: string; readonly unit: string }) {
  const units: Readonly<Record<string, string>> = useTexts(UNIT);
  return (
    <span>
      <bdi dir="ltr" className="figure">
        {formatDecimal(result)}
      </bdi>
      {`\u00a0${units[unit] ?? unit}`}
    </span>
  );
}

/** The result of a comparison, in words. */
function Truth({ value }: { readonly value: string }) {
  const t = useTexts(ESTIMATE);
  return value === 'true' ? t.yes : t.no;
}

function Disclosure({ detail: { estimate } }: { readonly detail: Detail }) {
  const t = useTexts(ESTIMATE);
  const { language } = useLanguage();
  return (
    <Section title={t.disclosure}>
      <Text maw={720}>{language === 'ar' ? estimate.disclosure_ar : estimate.disclosure_en}</Text>
    </Section>
  );
}
