/** Under which versions of the rules a confirmation is taken, or was. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { answerOf, client } from '../../../api/client.ts';
import type { components } from '../../../api/operator-types.ts';
import { PartnerTime } from '../../../parts/partner.tsx';
import { useTexts } from '../../../texts/language.tsx';
import type { Rule } from '../../rules/rule-summary.tsx';
import { RULE_KIND } from '../../rules/rule-texts.ts';
import { KINDS, useRulesInForce } from '../../rules/use-rules.ts';
import { SET_UP } from './set-up-texts.ts';

type Contribution = components['schemas']['Contribution'];

/** The versions that a contribution was taken under, and those that are in force since. */
export function AppliedVersions({ partnerId, transactionId }: { readonly partnerId: string; readonly transactionId: string }) {
  const t = useTexts(SET_UP);
  const kinds = useTexts(RULE_KIND);
  const path = { partner_id: partnerId, transaction_id: transactionId };
  const contribution = useQuery({
    queryKey: ['contribution', path],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/contributions/{transaction_id}', { params: { path } })),
  }).data;
  const inForce = useRulesInForce(partnerId).data;
  if (!contribution) return null;
  const versions = (of: Pick<Contribution, `${Rule['kind']}_version`>, wanted: readonly Rule['kind'][]) =>
    wanted.map((kind) => ({ kind, name: kinds[kind], version: of[`${kind}_version`] }));
  const changed = KINDS.filter((kind) => inForce && inForce[`${kind}_version`] !== contribution[`${kind}_version`]);
  return (
    <>
      <Text size="sm">
        {t.takenUnder} <Versions versions={versions(contribution, KINDS)} />
      </Text>
      {inForce && changed.length > 0 && (
        <Text size="sm">
          {t.inForceSince} <Versions versions={versions(inForce, changed)} /> {t.sendAgain}
        </Text>
      )}
    </>
  );
}

interface VersionsProps {
  readonly versions: readonly { readonly kind: string; readonly name: string; readonly version: string }[];
}

function Versions({ versions }: VersionsProps) {
  return versions.map(({ kind, name, version }, index) => (
    <Fragment key={kind}>
      {index > 0 && ' · '}
      {name} <bdi dir="ltr">{version}</bdi>
    </Fragment>
  ));
}

/** That a confirmation before their start is taken without them. */
export function LaterVersions({ partnerId, rules }: { readonly partnerId: string; readonly rules: readonly Rule[] }) {
  const t = useTexts(SET_UP);
  const kinds = useTexts(RULE_KIND);
  return (
    <div>
      <Text size="sm">{t.startLater}</Text>
      {rules.map(({ kind, version, starts_at }) => (
        <Text key={`${kind} ${version}`} size="sm">
          {kinds[kind]} <bdi dir="ltr">{version}</bdi>: <PartnerTime partnerId={partnerId} at={starts_at} style="second" />
        </Text>
      ))}
      <Text size="sm">{t.waitForStart}</Text>
    </div>
  );
}
