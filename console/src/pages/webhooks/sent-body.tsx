import { Code, Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { Section } from '../../parts/section.tsx';
import { useTexts } from '../../texts/language.tsx';
import { WEBHOOK } from './webhook-texts.ts';

interface SentBodyProps {
  readonly eventId: string;
  /** Each endpoint has a delivery of its own. */
  readonly deliveryId: string;
  readonly body: string;
}

/** Where a member of the JSON begins: a long body goes on there in the next line, and is copied without a break. */
const BREAKS = /(?<=[,{[])(?=["{])/;

/** What every attempt sends, and how a receiver compares its signature. */
export function SentBody({ eventId, deliveryId, body }: SentBodyProps) {
  const t = useTexts(WEBHOOK);
  return (
    <Section title={t.body}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t.bodyHelp}
        </Text>
        <Code block className="code-line" dir="ltr">
          {partsOf(body).map(({ at, text }) => (
            <Fragment key={at}>
              <wbr />
              {text}
            </Fragment>
          ))}
        </Code>
        <Text size="sm" c="dimmed">
          {t.signature}
        </Text>
        <Code block className="code-line" dir="ltr">
          {signedHeaders(eventId, deliveryId)}
        </Code>
      </Stack>
    </Section>
  );
}

function partsOf(body: string): readonly { readonly at: number; readonly text: string }[] {
  let at = 0;
  return body.split(BREAKS).map((text) => {
    at += text.length;
    return { at, text };
  });
}

/** As the guide for receivers has them. The time is that of the attempt, and the secret that of the endpoint. */
const signedHeaders = (eventId: string, deliveryId: string) =>
  [
    `X-Service-Event-Id: ${eventId}`,
    `X-Service-Delivery-Id: ${deliveryId}`,
    'X-Service-Timestamp: SECONDS',
    'X-Service-Signature: v1=HEX(HMAC-SHA256(SECRET, SECONDS + "." + BODY))',
    '',
    `webhook-id: ${eventId}`,
    'webhook-timestamp: SECONDS',
    'webhook-signature: v1,BASE64(HMAC-SHA256(KEY, ID + "." + SECONDS + "." + BODY))',
  ].join('\n');
