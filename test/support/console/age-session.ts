import { attestRecord } from '../../../src/operations/verification/attest-record.ts';
import { OWNER } from '../actor.ts';
import type { TestService } from '../service.ts';

/** The password of this person was given eleven minutes ago, and the audit says so. */
export async function ageSession({ database }: TestService, name: string): Promise<void> {
  const { rows } = await database.pool.query(
    `update operator_credential set created_at = created_at - interval '11 minutes'
    where kind = 'session' and operator_id = (select operator_id from operator where name = $1) returning operator_id`,
    [name],
  );
  await attestRecord(database, OWNER, { kind: 'operator', id: rows[0].operator_id, reason: 'aged by a test' });
}
