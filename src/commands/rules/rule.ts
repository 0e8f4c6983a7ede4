import { Option } from 'commander';
import { pluralise } from '../../domain/pluralise.ts';
import { type RuleRequest, readRuleRequest } from '../../domain/rules/rule-request.ts';
import { RULE_KINDS, type RuleKind } from '../../domain/rules/rule-versions.ts';
import { createRule, getRule, withdrawRule } from '../../operations/rules/manage-rule.ts';
import { ruleToWire } from '../../operations/rules/rule-to-wire.ts';
import { readVerifiedRuleEntries, ruleSubject } from '../../operations/rules/verified-rules.ts';
import { attestRule } from '../../operations/verification/attest.ts';
import type { Queryable } from '../../store/database.ts';
import { listRuleVersions, type RuleRecord } from '../../store/rules/rule-version.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { confirm, confirmAtTerminal, YES } from '../terminal/confirmation.ts';
import { readFutureTime } from '../terminal/options.ts';
import { formatTime, printFields, printJson, type Row } from '../terminal/output.ts';
import { listAfter, type PageOptions, printPage } from '../terminal/page.ts';
import { readPartnerNames } from '../terminal/partner-names.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { printVerification } from '../terminal/verification.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface CreateOptions {
  readonly kind: RuleKind;
  readonly label: string;
  readonly partner?: string;
  readonly startsAt?: Date;
  readonly pointsMin?: string;
  readonly pointsMax?: string;
  readonly reviewEverything?: boolean;
  readonly reviewThreshold?: string;
  readonly dailyPointsCap?: string;
  readonly dailyCountCap?: string;
  readonly pointValue?: string;
  readonly treeCost?: string;
  readonly currency?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Target {
  readonly kind: RuleKind;
  readonly label: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface ListOptions extends PageOptions {
  readonly kind?: RuleKind;
  readonly partner?: string;
}

const kindOption = () => new Option('--kind <kind>', 'kind of the rule').choices(RULE_KINDS);

export function ruleCommand(): ProgramCommand {
  const rule = new ProgramCommand('rule').description('rules: bounds, reviews, point value and tree cost, each in versions');
  rule
    .command('create')
    .description('create a version of a rule; it takes effect at its start in every process')
    .addOption(kindOption().makeOptionMandatory())
    .requiredOption('--label <label>', 'version label, stored with contributions; unique within the kind')
    .option('--partner <partner>', 'only for this partner; takes precedence over versions for all')
    .option('--starts-at <time>', 'start, at least one minute from now (default: one minute from now)', readFutureTime)
    .option('--points-min <n>', 'contribution_rule: minimum points of a contribution')
    .option('--points-max <n>', 'contribution_rule: maximum points of a contribution')
    .option('--review-everything', 'contribution_rule: every contribution is pending until an operator decides')
    .option('--review-threshold <n>', 'contribution_rule: a contribution with this many points or more is pending')
    .option('--daily-points-cap <n>', 'contribution_rule: contributions beyond this number of points a day are pending')
    .option('--daily-count-cap <n>', 'contribution_rule: contributions beyond this number a day are pending')
    .option('--point-value <decimal>', 'point_conversion: value of one point; without it points have no value')
    .option('--tree-cost <decimal>', 'tree_cost: cost of one tree; without it the cost is unknown')
    .option('--currency <code>', 'point_conversion and tree_cost: currency of the value (ISO 4217)')
    .option(...YES)
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(createRule.leastRole, create));
  rule
    .command('list')
    .description('all versions, by kind and start')
    .addOption(kindOption())
    .option('--partner <partner>', 'only those that can apply to this partner')
    .paged(1_000)
    .action(withOperator('viewer', list));
  const one = (name: string, description: string) =>
    rule
      .command(name)
      .description(description)
      .addOption(kindOption().makeOptionMandatory())
      .requiredOption('--label <label>', 'label of the version')
      .option('--json', 'one JSON object, for programs');
  one('show', 'one version').action(withOperator('viewer', show));
  one('withdraw', 'withdraw a version that starts in more than a minute')
    .option(...YES)
    .action(withOperator(withdrawRule.leastRole, withdraw));
  one('attest', 'attest in the audit that a modified version is correct, after comparing it with a backup')
    .requiredOption('--reason <text>', 'reason, stored with the change')
    .option(...YES)
    .action(withOperator(attestRule.leastRole, attest));
  rule
    .command('verify')
    .description('verify all versions against the audit; report modified ones (exit code 1)')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator('viewer', verify));
  return rule;
}

async function create(
  { database, actor }: OperatorContext,
  { label, partner, reviewEverything, yes, json, ...content }: CreateOptions,
): Promise<void> {
  const request = { ...content, version: label, partnerId: partner, reviewsEverything: reviewEverything };
  const start = content.startsAt ? `from ${formatTime(content.startsAt)} on` : 'one minute from now';
  const whom = await nameOf(database.pool, partner ?? null);
  await confirmAtTerminal(
    `Create the ${content.kind} ${label} for ${whom}, in force ${start}: ${sayRequested(request)}?`,
    content.startsAt ? 'final_at_start' : 'final',
    yes,
  );
  print(await createRule(database, actor, request), json);
}

async function list({ database: { pool } }: OperatorContext, options: ListOptions): Promise<void> {
  const { kind, partner } = options;
  const rules = (await listRuleVersions(pool)).filter(
    (rule) =>
      (kind === undefined || rule.kind === kind) &&
      (partner === undefined || rule.partnerId === null || rule.partnerId === partner),
  );
  const ifNone = 'There is no rule: default-1 applies. Create one: npx partner-impact rule create --help';
  const page = listAfter(rules, options, ruleSubject);
  const names = await readPartnerNames(
    pool,
    page.map(({ partnerId }) => partnerId),
  );
  const toNamedRow = (rule: RuleRecord) => ({ ...toRow(rule), partner: rule.partnerId === null ? 'all' : names(rule.partnerId) });
  printPage(page, options, { cursorOf: ruleSubject, toJson: ruleToWire, toRow: toNamedRow, ifNone });
}

async function attest(
  { database, actor }: OperatorContext,
  { kind, label: version, reason, yes, json }: Target & { reason: string },
): Promise<void> {
  const rule = await getRule(database.pool, kind, version);
  const { status, starts, content } = toRow(rule);
  const whom = await nameOf(database.pool, rule.partnerId);
  await confirmAtTerminal(
    `Attest the ${kind} ${version} for ${whom}, which is ${status} (${starts}), as it is: ${content}?`,
    'final',
    yes,
  );
  print(await attestRule(database, actor, { kind, version, reason, shown: exactJson(ruleToWire(rule)) }), json);
}

async function verify({ database: { pool, auditKeys } }: OperatorContext, { json }: { json?: boolean }): Promise<void> {
  const { stored, doubts } = await readVerifiedRuleEntries(pool, auditKeys);
  const problems = [...doubts].map(([rule, problem]) => ({ rule, problem }));
  const unmodified = `Unmodified: ${pluralise(stored.length, 'version')}.`;
  const asItIs = (problem: (typeof problems)[number]) => problem;
  printVerification({ figures: { rules: stored.length }, problems, toJson: asItIs, toRow: asItIs, unmodified }, json);
}

async function show({ database: { pool } }: OperatorContext, { kind, label, json }: Target): Promise<void> {
  print(await getRule(pool, kind, label), json);
}

async function withdraw({ database, actor }: OperatorContext, { kind, label, yes, json }: Target): Promise<void> {
  await confirm(`Withdraw the ${kind} ${label}?`, 'final', yes);
  print(await withdrawRule(database, actor, { kind, version: label }), json);
}

async function nameOf(db: Queryable, partnerId: string | null): Promise<string> {
  return partnerId === null ? 'all partners' : (await readPartnerNames(db, [partnerId]))(partnerId);
}

function print(rule: RuleRecord, asJson: boolean | undefined): void {
  if (asJson) printJson(ruleToWire(rule));
  else printFields(toFields(rule));
}

function statusOf({ withdrawnAt, startsAt }: RuleRecord): string {
  if (withdrawnAt) return 'withdrawn';
  return startsAt.getTime() <= Date.now() ? 'started' : 'to come';
}

function toRow(rule: RuleRecord): Row {
  return {
    kind: rule.kind,
    label: rule.version,
    status: statusOf(rule),
    starts: formatTime(rule.startsAt),
    partner: rule.partnerId ?? 'all',
    content: inOneLine(contentOf(rule)),
  };
}

function toFields(rule: RuleRecord): Row {
  const { content: _content, ...head } = toRow(rule);
  return { ...head, ...contentOf(rule), created: formatTime(rule.createdAt) };
}

const HEAD = ['kind', 'version', 'partner_id', 'starts_at', 'created_at', 'withdrawn_at'];

/** The values of a rule, in words. */
function contentOf(rule: RuleRecord): Row {
  return inWords(Object.entries(ruleToWire(rule)).filter(([name]) => !HEAD.includes(name)));
}

/** The values of a rule that is not created yet. */
function sayRequested(request: RuleRequest): string {
  const {
    kind: _kind,
    version: _version,
    partnerId: _partnerId,
    startsAt: _startsAt,
    ...content
  } = readRuleRequest(request, new Date()).rule;
  return inOneLine(inWords(Object.entries(content)));
}

function inWords(content: readonly (readonly [name: string, value: unknown])[]): Row {
  const said = content
    .filter(([, value]) => value !== null && value !== false)
    .map(([name, value]) => [name.replace(/_|(?=[A-Z])/g, ' ').toLowerCase(), value === true ? 'yes' : String(value)]);
  return said.length === 0 ? { value: 'none' } : Object.fromEntries(said);
}

function inOneLine(content: Row): string {
  return Object.entries(content)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
