import type { Actor } from '../domain/access/role.ts';
import { newId } from '../domain/identifiers.ts';
import { rulesInForce } from '../domain/rules/rule-versions.ts';
import { ServiceError } from '../domain/service-error.ts';
import { createOperations, type Operations } from '../operations/create-operations.ts';
import { readVerifiedRuleEntries } from '../operations/rules/verified-rules.ts';
import type { SettlementTools } from '../operations/settlements/settlement-tools.ts';
import type { Job } from '../schedule/job.ts';
import { findPartner, type Partner } from '../store/access/partner.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { RuleRecord } from '../store/rules/rule-version.ts';
import { findPastStep, insertPastStep, movePastClock } from '../store/sandbox/past-clock.ts';
import type { EndpointTools } from '../webhooks/endpoints/endpoint-context.ts';
import type { Plan } from './plan.ts';
import { PEOPLE, type Person, type Slug } from './sample-partners.ts';

/** The dependencies of sample data. */
export interface SampleTools {
  /** The database as it is now. */
  readonly database: Database;
  /** The database on the clock of the past. */
  readonly past: Database;
  /** The tools on the clock of the past, like `settlementTools`. */
  readonly endpointTools: EndpointTools;
  readonly settlementTools: SettlementTools;
  /** All jobs of the service. */
  readonly jobs: readonly Job[];
  /** How much is sold, as a share of the usual. */
  readonly share?: number;
  readonly signal: AbortSignal;
  readonly onProgress: (sentence: string) => void;
}

/** The account that creates the first operators, and the schedule. */
const OWNER = 'owner';

/** What the parts of the sample data share: the clock, the people, the partners, and what was done before. */
export class Sample {
  readonly tools: SampleTools;
  readonly plan: Plan;
  readonly past: Database;
  readonly operations: Operations;
  #at = new Date(0);
  #rules: readonly RuleRecord[] = [];
  readonly #partners = new Map<Slug, Partner>();

  constructor(tools: SampleTools, plan: Plan) {
    this.tools = tools;
    this.plan = plan;
    this.past = tools.past;
    const environment = 'sandbox';
    this.operations = createOperations(this.past, {
      environment,
      rulesOf: (partner) => rulesInForce(this.#rules, partner, this.#at),
    });
  }

  get at(): Date {
    return this.#at;
  }

  /** From now on it is this time. */
  async moveTo(at: Date): Promise<void> {
    await movePastClock(this.past.pool, at);
    this.#at = at;
  }

  async readRules(): Promise<void> {
    const { stored } = await readVerifiedRuleEntries(this.past.pool, this.past.auditKeys);
    this.#rules = stored.filter(({ withdrawnAt }) => withdrawnAt === null);
  }

  /**
   * Does a change once: what it gave is kept in its transaction, and a run that continues takes it from there.
   *
   * @param work An operation with one transaction.
   * @param pick A text out of what the transaction returned: usually the id of a record.
   */
  async once<Result>(
    step: string,
    work: (database: Database) => Promise<unknown>,
    pick: (result: Result, db: Queryable) => string | Promise<string>,
  ): Promise<string> {
    const known = await findPastStep(this.past.pool, step);
    if (known !== undefined) return known;
    let kept: string | undefined;
    await work({
      ...this.past,
      beforeCommit: async (db, result) => {
        kept = await pick(result as Result, db);
        await insertPastStep(db, step, kept);
      },
    });
    if (kept === undefined) throw new Error(`The step ${step} of the sample data had no transaction.`);
    return kept;
  }

  /**
   * Does a change once like {@link once}, and keeps none of its result. A refusal leaves the step out: the service had done something else
   * meanwhile.
   */
  async change(step: string, work: (database: Database) => Promise<unknown>): Promise<void> {
    try {
      await this.once(step, work, () => '');
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.tools.onProgress(`Sample data: ${step} was left out: ${error.message}`);
    }
  }

  /** What a step gave. */
  async resultOf(step: string): Promise<string> {
    const known = await findPastStep(this.past.pool, step);
    if (known === undefined) throw new Error(`The step ${step} of the sample data was not done.`);
    return known;
  }

  async partner(slug: Slug): Promise<Partner> {
    const known = this.#partners.get(slug);
    if (known) return known;
    const found = await findPartner(this.past.pool, await this.resultOf(`partner ${slug}`));
    if (!found) throw new Error(`The partner ${slug} of the sample data is missing.`);
    this.#partners.set(slug, found);
    return found;
  }

  async partnerId(slug: Slug): Promise<string> {
    return (await this.partner(slug)).partnerId;
  }

  /** Somebody who gives an order at this time. */
  async person(person: Person): Promise<Actor> {
    const operatorId = await this.resultOf(`operator ${person}`);
    return { operatorId, role: PEOPLE[person].role, correlationId: newId('corr') };
  }

  account(operatorId: typeof OWNER | 'schedule'): Actor {
    return { operatorId, role: 'admin', correlationId: newId('corr') };
  }
}

/** A part of the sample data, done at its time. A part that is done again changes nothing. */
export interface Scene {
  readonly at: Date;
  run(sample: Sample): Promise<void>;
}
