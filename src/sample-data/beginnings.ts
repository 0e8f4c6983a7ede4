import { newId } from '../domain/identifiers.ts';
import type { RuleRequest } from '../domain/rules/rule-request.ts';
import { issueApiKey } from '../operations/access/manage-api-key.ts';
import { createOperator, disableOperator } from '../operations/access/manage-operator.ts';
import { createPartner } from '../operations/access/manage-partner.ts';
import { createRule } from '../operations/rules/manage-rule.ts';
import type { Partner } from '../store/access/partner.ts';
import { addToSampleData } from '../store/sandbox/sample-data.ts';
import { DAY_MS, type Plan } from './plan.ts';
import type { Sample, Scene } from './sample.ts';
import { PARTNERS, PEOPLE, type Person, type SamplePartner } from './sample-partners.ts';

const MINUTE_MS = 60_000;
/** From this day on the prices and the rules are other ones. */
const LATER_DAY = 48;
const FUTURE_DAYS = 20;

/** The operators, the partners, their keys and their rules. */
export function beginnings({ startsAt, endsAt }: Plan): Scene[] {
  const minute = (count: number) => new Date(startsAt.getTime() + count * MINUTE_MS);
  const day = (count: number) => new Date(startsAt.getTime() + count * DAY_MS);
  return [
    { at: minute(0), run: createPeople },
    { at: minute(10), run: async (sample) => void (await Promise.all(PARTNERS.map((each) => create(sample, each)))) },
    { at: minute(20), run: (sample) => createRules(sample, PARTNERS.flatMap(firstRules)) },
    { at: day(LATER_DAY), run: (sample) => createRules(sample, PARTNERS.flatMap(laterRules)) },
    { at: day(LATER_DAY + 9), run: leave },
    {
      at: new Date(endsAt.getTime() - DAY_MS),
      run: (sample) => createRules(sample, [futureRule(new Date(endsAt.getTime() + FUTURE_DAYS * DAY_MS))]),
    },
  ];
}

async function createPeople(sample: Sample): Promise<void> {
  for (const [person, wanted] of Object.entries(PEOPLE))
    await sample.once(
      `operator ${person as Person}`,
      (database) => createOperator(database, sample.account('owner'), wanted),
      async ({ operator: { operatorId } }: { operator: { operatorId: string } }, db) => {
        await addToSampleData(db, 'operator', operatorId);
        return operatorId;
      },
    );
}

async function create(sample: Sample, { slug, name, currency, timeZone }: SamplePartner): Promise<void> {
  const partnerId = await sample.once(
    `partner ${slug}`,
    async (database) => createPartner(database, await sample.person('operator'), name, { currency, timeZone }),
    async (partner: Partner, db) => {
      await addToSampleData(db, 'partner', partner.partnerId);
      return partner.partnerId;
    },
  );
  const policy = { name: 'checkout', permission: 'manage', allowedAddresses: [], expiresAt: null } as const;
  await sample.once(
    `key ${slug}`,
    async (database) => issueApiKey(database, await sample.person('operator'), { environment: 'sandbox', partnerId, ...policy }),
    ({ key }: { key: { keyId: string } }) => key.keyId,
  );
}

type Rule = Omit<RuleRequest, 'partnerId'> & Pick<SamplePartner, 'slug'>;

async function createRules(sample: Sample, rules: readonly Rule[]): Promise<void> {
  for (const { slug, ...rule } of rules)
    await sample.change(`rule ${rule.version}`, async (database) =>
      createRule(database, await sample.person('admin'), { ...rule, partnerId: await sample.partnerId(slug) }),
    );
  await sample.readRules();
}

function firstRules(partner: SamplePartner): Rule[] {
  const { slug, currency, pointValue, treeCost } = partner;
  const money = { slug, currency: currency ?? undefined };
  return [
    contributionRule(partner, 1),
    { ...money, kind: 'point_conversion', version: `${slug}-value-1`, pointValue },
    { ...money, kind: 'tree_cost', version: `${slug}-tree-1`, treeCost },
  ];
}

function laterRules(partner: SamplePartner): Rule[] {
  const { slug, currency, laterPointValue } = partner;
  if (laterPointValue === undefined) return [];
  const price = { kind: 'point_conversion', version: `${slug}-value-2`, currency: currency ?? undefined } as const;
  return [contributionRule(partner, 2), { ...price, slug, pointValue: laterPointValue }];
}

function futureRule(startsAt: Date): Rule {
  return { kind: 'tree_cost', version: 'brightline-tree-2', slug: 'brightline', currency: 'SAR', treeCost: '24', startsAt };
}

function contributionRule({ slug, reviewThreshold, dailyCountCap }: SamplePartner, number: number): Rule {
  return {
    kind: 'contribution_rule',
    slug,
    version: `${slug}-rules-${number}`,
    pointsMin: number === 1 ? '1' : '10',
    pointsMax: '100000',
    reviewThreshold: String(reviewThreshold),
    ...(dailyCountCap !== undefined && { dailyCountCap: String(dailyCountCap) }),
  };
}

async function leave(sample: Sample): Promise<void> {
  const operatorId = await sample.resultOf('operator viewer');
  const admin = { ...(await sample.person('admin')), correlationId: newId('corr') };
  await sample.change('viewer leaves', (database) => disableOperator(database, admin, operatorId));
}
