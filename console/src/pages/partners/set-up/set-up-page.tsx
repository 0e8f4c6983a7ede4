/** A partner from its name to its first confirmation, on one page. What is done is read from the service, so that anybody may go on. */
import { Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../../api/operator-types.ts';
import { Page } from '../../../layout/page.tsx';
import { usePartner } from '../../../parts/partner.tsx';
import { Failure } from '../../../parts/state.tsx';
import { useMay } from '../../../session/session.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { EndpointStep } from './endpoint-step.tsx';
import { FirstStep } from './first-step.tsx';
import { KeyStep } from './key-step.tsx';
import { NewPartnerForm, PartnerFactsOfStep } from './partner-step.tsx';
import { RuleStep } from './rule-step.tsx';
import { SET_UP } from './set-up-texts.ts';
import { Step } from './step.tsx';

export function PartnerSetUp() {
  const t = useTexts(SET_UP);
  const { partnerId } = useParams({ strict: false });
  const partner = usePartner(partnerId);
  const mayCreate = useMay('operator');
  const [issued, setIssued] = useState<readonly components['schemas']['IssuedApiKey'][]>([]);
  // What was read before stays: a key or a secret that is shown once is on the page.
  if (partner.error && !partner.data) return <Failure error={partner.error} onRetry={() => void partner.refetch()} />;
  const known = partner.data?.partner_id;
  return (
    <Page
      title={partner.data ? t.setUpOf(partner.data.name) : t.newPartner}
      description={t.help}
      parent={partner.data && { to: `/partners/${partner.data.partner_id}`, label: partner.data.name }}
    >
      <Stack gap="md">
        <Step number={1} title={t.partner} help={t.partnerHelp} state={known ? 'done' : 'open'}>
          {partner.data && <PartnerFactsOfStep partner={partner.data} />}
          {partnerId === undefined && (mayCreate ? <NewPartnerForm /> : <Text size="sm">{t.notAllowed}</Text>)}
        </Step>
        <RuleStep partnerId={known} currency={partner.data?.currency ?? null} />
        <KeyStep partnerId={known} issued={issued} onIssued={(key) => setIssued((before) => [...before, key])} />
        <EndpointStep partnerId={known} />
        <FirstStep partnerId={known} currency={partner.data?.currency ?? null} apiKey={issued.at(-1)?.api_key} />
      </Stack>
    </Page>
  );
}
