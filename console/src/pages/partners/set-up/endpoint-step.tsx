import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../../api/client.ts';
import type { components, operations } from '../../../api/operator-types.ts';
import { useChange } from '../../../api/use-change.ts';
import { useUnsaved } from '../../../app/unsaved.ts';
import { endpointName } from '../../../format/endpoint-name.ts';
import { AddressLink } from '../../../parts/address-link.tsx';
import { EndpointBadge } from '../../../parts/badges.tsx';
import { Problem, problemOf } from '../../../parts/problem.tsx';
import { Records } from '../../../parts/records.tsx';
import { ShownOnce } from '../../../parts/shown-once.tsx';
import { Loaded } from '../../../parts/state.tsx';
import { Foreign } from '../../../parts/values.tsx';
import { useMay, useSession } from '../../../session/session.tsx';
import { COMMON } from '../../../texts/common-texts.ts';
import { useTexts } from '../../../texts/language.tsx';
import { EventTypesField } from './event-types-field.tsx';
import { SET_UP } from './set-up-texts.ts';
import { Step } from './step.tsx';

type Body = operations['addEndpoint']['requestBody']['content']['application/json'];
type Added = components['schemas']['AddedEndpoint'];

/** Where the partner's events go: added once the receiver has answered a signed challenge. */
export function EndpointStep({ partnerId }: { readonly partnerId: string | undefined }) {
  const t = useTexts(SET_UP);
  const common = useTexts(COMMON);
  const endpoints = useQuery({
    queryKey: ['endpoints-of', partnerId],
    queryFn: () => answerOf(client.GET('/operator/v1/endpoints', { params: { query: { partner_id: partnerId ?? '' } } })),
    enabled: partnerId !== undefined,
  });
  const present = endpoints.data?.endpoints.filter(({ status }) => status !== 'removed') ?? [];
  const [added, setAdded] = useState<readonly Added[]>([]);
  const isDone = present.some(({ status }) => status === 'active');
  return (
    <Step number={4} title={t.endpoint} help={t.endpointHelp} state={isDone ? 'done' : 'open'} isLocked={partnerId === undefined}>
      <Loaded query={endpoints}>
        {() => (
          <Stack gap="sm">
            {present.length > 0 && (
              <Records
                label={t.endpoint}
                rows={present}
                keyOf={({ endpoint_id }) => endpoint_id}
                empty={null}
                columns={[
                  {
                    label: t.url,
                    show: ({ partner_id, endpoint_id, url }) => (
                      <AddressLink to={`/webhooks/${partner_id}/${endpoint_id}`} className="row-anchor">
                        <Foreign text={url} isWhole />
                      </AddressLink>
                    ),
                  },
                  { label: common.status, show: ({ status }) => <EndpointBadge status={status} /> },
                ]}
              />
            )}
            {added.map(({ endpoint: { endpoint_id, url }, secret }) => (
              <ShownOnce key={endpoint_id} value={secret} title={t.secretOf(endpointName(url))} copyLabel={t.copySecret} />
            ))}
            <NewEndpoint
              partnerId={partnerId ?? ''}
              isFirst={present.length === 0}
              onAdded={(one) => setAdded((before) => [...before, one])}
            />
          </Stack>
        )}
      </Loaded>
    </Step>
  );
}

const ANSWER = '{ "challenge": "the text of data.challenge" }';
const LINE = `if (event.event_type === 'webhook.endpoint.verification') return Response.json({ challenge: event.data.challenge });`;

/** What the person at the receiver has to know before the challenge is sent. */
function ChallengeHelp() {
  const t = useTexts(SET_UP);
  return (
    <div>
      <Text size="sm">{t.challengeAnswer}</Text>
      <Code block dir="ltr" className="code-line" mt={8}>
        {ANSWER}
      </Code>
      <Text size="sm" mt="xs">
        {t.challengeHow}
      </Text>
      <Code block dir="ltr" className="code-line" mt={8}>
        {LINE}
      </Code>
    </div>
  );
}

interface NewEndpointProps {
  readonly partnerId: string;
  readonly isFirst: boolean;
  readonly onAdded: (added: Added) => void;
}

function NewEndpoint({ partnerId, isFirst, onAdded }: NewEndpointProps) {
  const t = useTexts(SET_UP);
  const [isOpen, setOpen] = useState(false);
  const [url, setUrl] = useState('');
  const [types, setTypes] = useState<readonly string[]>([]);
  const add = useChange({
    send: (body: Body, key) =>
      answerOf(client.POST('/operator/v1/endpoints', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: ({ endpoint }) => t.added(endpointName(endpoint.url)),
    onDone(made) {
      setOpen(false);
      setUrl('');
      setTypes([]);
      onAdded(made);
    },
  });
  // The list has the endpoint then, and the same request brings its secret.
  const isInDoubt = add.inDoubt.length > 0;
  const mayAdd = useMay('operator');
  // A form into which somebody types stays open when a colleague adds the first one.
  const isTyped = url.trim() !== '' || types.length > 0;
  useUnsaved(isTyped);
  useUnsaved(add.isPending || isInDoubt, 'doubt');
  const { environment } = useSession();
  if (!mayAdd) return null;
  if (!isFirst && !isOpen && !isInDoubt && !isTyped)
    return (
      <Group>
        <Button variant="default" onClick={() => setOpen(true)}>
          {t.anotherEndpoint}
        </Button>
      </Group>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate({ partner_id: partnerId, url: url.trim(), event_types: [...types] });
      }}
    >
      <Stack gap="sm">
        <ChallengeHelp />
        <TextInput
          label={t.url}
          description={environment === 'sandbox' ? t.urlHelpSandbox : t.urlHelp}
          type="url"
          required
          dir="ltr"
          maxLength={2_048}
          placeholder="https://"
          disabled={add.isLocked}
          value={url}
          error={problemOf(add.error, 'url')}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <EventTypesField isLocked={add.isLocked} value={types} onChange={setTypes} />
        <Group>
          <Button type="submit" loading={add.isPending}>
            {t.addEndpoint}
          </Button>
        </Group>
        {add.isPending && (
          <Text size="sm" role="status">
            {t.challenging}
          </Text>
        )}
        <Problem error={add.error} fields={['url']} inDoubt={isInDoubt && !add.isPending && t.addInDoubt} />
      </Stack>
    </form>
  );
}
