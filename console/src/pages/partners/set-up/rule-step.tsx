import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../../api/client.ts';
import { AddressLink } from '../../../parts/address-link.tsx';
import { Loaded } from '../../../parts/state.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { InForce } from '../../rules/in-force.tsx';
import { SET_UP } from './set-up-texts.ts';
import { Step } from './step.tsx';

const DEFAULT = 'default-1';

export function useRulesInForce(partnerId: string | undefined) {
  return useQuery({
    queryKey: ['rules-in-force', partnerId],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/rules', { params: { path: { partner_id: partnerId ?? '' } } })),
    enabled: partnerId !== undefined,
  });
}

interface RuleStepProps {
  readonly partnerId: string | undefined;
  readonly currency: string | null;
}

/** What is in force for the partner; without a rule of its own the defaults are, which is possible too. */
export function RuleStep({ partnerId, currency }: RuleStepProps) {
  const t = useTexts(SET_UP);
  const query = useRulesInForce(partnerId);
  const hasRule = query.data !== undefined && query.data.contribution_rule_version !== DEFAULT;
  return (
    <Step number={2} title={t.rule} help={t.ruleHelp} state={hasRule ? 'done' : 'optional'} isLocked={partnerId === undefined}>
      <Loaded query={query}>
        {(rules) => (
          <Stack gap="sm">
            {rules.contribution_rule_version === DEFAULT && rules.point_conversion_version === DEFAULT && (
              <Text size="sm">{t.ruleDefault}</Text>
            )}
            <InForce rules={rules} currency={currency} />
            <AddressLink to={`/rules?partner=${partnerId}`}>{t.ruleLink}</AddressLink>
          </Stack>
        )}
      </Loaded>
    </Step>
  );
}
