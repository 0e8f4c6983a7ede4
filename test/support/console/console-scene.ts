/** What the tests of the console find: partners with contributions in every state, and texts of somebody who means harm. */
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import type { Partner } from '../../../src/store/access/partner.ts';
import type { Database } from '../../../src/store/database.ts';
import { OWNER } from '../actor.ts';
import { type Client, newConfirmation, uniqueId } from '../client.ts';
import { insertContributionRule } from '../rules.ts';
import { OPEN_RATES, type TestService, testService } from '../service.ts';
import { WEBHOOK_ENV } from '../webhooks/webhook-service.ts';
import { type ConsoleBrowser, openBrowser } from './browser.ts';

/** As a name or a reason: markup, and more than fits. The service takes no line with a turn of the direction of text, and no such identifier. */
export const HOSTILE_LINE = `<img src=x onerror=alert(1)> <script>alert(1)</script> ${'W'.repeat(140)}`;

export interface Scene {
  readonly service: TestService;
  readonly browser: ConsoleBrowser;
  readonly partner: Partner;
  readonly client: Client;
  /** A contribution of 250 points, which waits for a decision. */
  newPending(fields?: object): Promise<{ readonly transactionId: string; readonly order: string }>;
}

/** @param prepare What else is stored before the service starts, which knows rules from then on. */
export async function openScene(prepare?: (database: Database) => Promise<void>): Promise<Scene> {
  const prepared: Partner[] = [];
  const service = await testService({
    env: WEBHOOK_ENV,
    async prepare(database) {
      const partner = await createPartner(database, OWNER, 'Souq Express', OPEN_RATES);
      await insertContributionRule(database, { partnerId: partner.partnerId, review_threshold: 200, daily_points_cap: 5_000 });
      await createPartner(database, OWNER, 'بنك الواحة', OPEN_RATES);
      await prepare?.(database);
      prepared.push(partner);
    },
  });
  const [partner] = prepared as [Partner];
  const { client } = await service.newPartner({ of: partner });
  return {
    service,
    partner,
    client,
    browser: await openBrowser(service),
    async newPending(fields = {}) {
      const order = uniqueId('order');
      const answer = await client.confirm({ ...newConfirmation(), partner_order_ref: order, ...fields });
      if (answer.status !== 202) throw new Error(`A contribution of the scene is not pending: ${JSON.stringify(answer.body)}`);
      return { transactionId: answer.body.contribution.transaction_id, order };
    },
  };
}
