/** What the tests of the records of operators find: a partner whose large contributions wait, and a person in each role. */
import { DEFAULT_RULES } from '../../../src/domain/rules/contribution-rules.ts';
import { signedInOperator } from '../operator-client.ts';
import { testService } from '../service.ts';

/** Of points, from which a contribution waits for a decision. */
export const THRESHOLD = 1_000n;
export const V1 = '/operator/v1';

export async function openRecords() {
  /** Partners of which one contribution a day is confirmed at once. */
  const capped = new Set<string>();
  const service = await testService({
    rulesOf: (partnerId) => ({
      ...DEFAULT_RULES,
      reviewThreshold: THRESHOLD,
      dailyCountCap: capped.has(partnerId) ? 1n : DEFAULT_RULES.dailyCountCap,
    }),
  });
  const { database } = service;
  const partner = await service.newPartner();
  return {
    service,
    database,
    partner,
    capped,
    viewer: await signedInOperator(service, 'viewer'),
    operator: await signedInOperator(service, 'operator'),
    approver: await signedInOperator(service, 'approver'),
    admin: await signedInOperator(service, 'admin'),
    idOf: () => partner.partner.partnerId,
    async entriesAbout(subjectId: string) {
      const { rows } = await database.pool.query(
        'select action, operator_id from audit_entry where subject_id = $1 order by entry_no',
        [subjectId],
      );
      return rows;
    },
    count: async (text: string, values: unknown[] = []) => Number((await database.pool.query(text, values)).rows[0].count),
  };
}
