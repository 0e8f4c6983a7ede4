import { Button, Code, CopyButton, Stack, Text } from '@mantine/core';
import { Breaking } from '../../parts/codes/breaking.tsx';
import { WithCode } from '../../parts/codes/with-code.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Section } from '../../parts/section.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { WEBHOOK } from './webhook-texts.ts';

interface SentBodyProps {
  readonly eventId: string;
  /** Each endpoint has a delivery of its own. */
  readonly deliveryId: string;
  readonly body: string;
}

/** Where a member of the JSON begins. */
const BREAKS = /(?<=[,{[])(?=["{])/;

/** What every attempt sends, and how a receiver compares its signature. */
export function SentBody({ eventId, deliveryId, body }: SentBodyProps) {
  const t = useTexts(WEBHOOK);
  return (
    <>
      <Section title={t.body} actions={<CopyBody body={body} />}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t.bodyHelp}
          </Text>
          <Code block className="code-line" dir="ltr">
            <Breaking text={body} at={BREAKS} />
          </Code>
        </Stack>
      </Section>
      <Section title={t.signing}>
        <Stack gap="sm">
          <Text size="sm">{t.signedTwice}</Text>
          <Headers lines={serviceHeaders(eventId, deliveryId)} meaning={t.secretIs} />
          <Headers lines={standardHeaders(eventId)} meaning={t.keyIs} />
          <Text size="sm">
            <WithCode text={t.signatureRefused} />
          </Text>
        </Stack>
      </Section>
    </>
  );
}

function CopyBody({ body }: { readonly body: string }) {
  const { copied: done } = useTexts(COMMON);
  const { copyBody } = useTexts(WEBHOOK);
  return (
    <CopyButton value={body}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />} onClick={copy}>
          {copied ? done : copyBody}
        </Button>
      )}
    </CopyButton>
  );
}

/** A group of headers, with what the capital word in it stands for. */
function Headers({ lines, meaning }: { readonly lines: readonly string[]; readonly meaning: string }) {
  return (
    <div>
      <Code block className="code-line" dir="ltr">
        {lines.join('\n')}
      </Code>
      <Text size="sm" c="dimmed" mt={4}>
        <WithCode text={meaning} />
      </Text>
    </div>
  );
}

/** The headers in the form of the guide for receivers. The time is that of the attempt, and the secret that of the endpoint. */
const serviceHeaders = (eventId: string, deliveryId: string) => [
  `X-Service-Event-Id: ${eventId}`,
  `X-Service-Delivery-Id: ${deliveryId}`,
  'X-Service-Timestamp: SECONDS',
  'X-Service-Signature: v1=HEX(HMAC-SHA256(SECRET, SECONDS + "." + BODY))',
];

const standardHeaders = (eventId: string) => [
  `webhook-id: ${eventId}`,
  'webhook-timestamp: SECONDS',
  'webhook-signature: v1,BASE64(HMAC-SHA256(KEY, ID + "." + SECONDS + "." + BODY))',
];
