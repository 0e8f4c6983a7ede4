import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../../api/client.ts';
import { useChange } from '../../../api/use-change.ts';
import { AddressLink } from '../../../parts/address-link.tsx';
import { StatusBadge } from '../../../parts/badges.tsx';
import { SecretField } from '../../../parts/fields/secret-field.tsx';
import { PartnerTime } from '../../../parts/partner.tsx';
import { Problem, problemOf } from '../../../parts/problem.tsx';
import { Loaded } from '../../../parts/state.tsx';
import { Foreign } from '../../../parts/values.tsx';
import { useMay, useSession } from '../../../session/session.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { COUNTED } from '../../../texts/record-texts.ts';
import { useUpcomingRules } from '../../rules/use-rules.ts';
import { AppliedVersions, LaterVersions } from './applied-versions.tsx';
import { SET_UP } from './set-up-texts.ts';
import { Step } from './step.tsx';

interface FirstStepProps {
  readonly partnerId: string | undefined;
  readonly currency: string | null;
  /** The key that was just issued. */
  readonly apiKey: string | undefined;
}

/** The first contribution of the partner: sent from here in a sandbox, waited for in production. */
export function FirstStep({ partnerId, currency, apiKey }: FirstStepProps) {
  const t = useTexts(SET_UP);
  const { points } = useTexts(COUNTED);
  const { environment } = useSession();
  const mayTest = useMay('operator') && environment === 'sandbox';
  const contributions = useQuery({
    queryKey: ['first-contribution', partnerId],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/contributions', { params: { query: { partner_id: partnerId ?? '', limit: 1 } } })),
    enabled: partnerId !== undefined,
    refetchInterval: 5_000,
  });
  const later = useUpcomingRules(partnerId, currency).data ?? [];
  const [latest] = contributions.data?.contributions ?? [];
  return (
    <Step
      number={5}
      title={t.first}
      help={environment === 'sandbox' ? t.firstHelp : t.firstProduction}
      state={latest ? 'done' : 'open'}
      isLocked={partnerId === undefined}
    >
      <Loaded query={contributions}>
        {() => (
          <Stack gap="sm">
            {latest ? (
              <Alert color="gray" title={t.arrived} role="status">
                <Group gap="xs">
                  <StatusBadge status={latest.status} />
                  <AddressLink to={`/contributions/${latest.partner_id}/${latest.transaction_id}`}>
                    <Foreign text={latest.partner_order_ref} isWhole />
                  </AddressLink>
                  <span>{points(latest.points)}</span>
                  <PartnerTime partnerId={latest.partner_id} at={latest.created_at} />
                </Group>
                <AppliedVersions partnerId={latest.partner_id} transactionId={latest.transaction_id} />
                <Text size="sm">
                  <AddressLink to={`/contributions/${latest.partner_id}/${latest.transaction_id}#timeline`}>
                    {t.delivered}
                  </AddressLink>
                </Text>
              </Alert>
            ) : (
              <Text size="sm">{t.waitingFor}</Text>
            )}
            {later.length > 0 && <LaterVersions partnerId={partnerId ?? ''} rules={later} />}
            {mayTest && <SendTest key={apiKey ?? ''} partnerId={partnerId ?? ''} apiKey={apiKey} />}
          </Stack>
        )}
      </Loaded>
    </Step>
  );
}

function SendTest({ partnerId, apiKey }: { readonly partnerId: string; readonly apiKey: string | undefined }) {
  const t = useTexts(SET_UP);
  const [typed, setTyped] = useState(apiKey ?? '');
  const send = useChange({
    send: (api_key: string, key) =>
      answerOf(
        client.POST('/operator/v1/partners/{partner_id}/test-confirmation', {
          params: { path: { partner_id: partnerId }, header: { 'Idempotency-Key': key } },
          body: { api_key },
        }),
      ),
    done: t.sent,
    failed: ({ message }) => (message === null ? undefined : t.refused),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate(typed.trim());
      }}
    >
      <Stack gap="sm">
        <SecretField
          label={t.ownKey}
          description={apiKey === undefined ? t.ownKeyNotKept : t.ownKeyFilled}
          required
          autoComplete="off"
          classNames={{ innerInput: 'by-its-text' }}
          maxLength={200}
          value={typed}
          error={problemOf(send.error, 'api_key')}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group>
          <Button type="submit" loading={send.isPending}>
            {t.send}
          </Button>
        </Group>
        {send.data?.message && (
          <Alert color="red" title={`${t.refused} (${send.data.http_status})`} role="alert">
            <Foreign text={send.data.message} isWhole />
          </Alert>
        )}
        <Problem error={send.error} fields={['api_key']} />
      </Stack>
    </form>
  );
}
