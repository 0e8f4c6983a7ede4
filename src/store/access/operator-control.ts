import { CONTROL_DAYS } from '../../domain/access/operator.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

/** The account that is behind both of two accounts. */
export interface SharedControl {
  readonly operatorId: string;
  /** The time from which the accounts count as different, if none of them is created or reset until then. */
  readonly until: Date;
}

/**
 * Each account leads to the operator who created or reset it, and so on, by the audit. In a sandbox the owner account creates all
 * operators, and leads nowhere. Entries are found by their subject, so that the cost depends on the accounts and not on the audit.
 */
const FIND: Statement = {
  name: 'find_shared_control',
  text: `with recursive control (account, operator_id, at) as (
      select account, account, null::timestamptz from (select unnest($1::text[]) collate "C" as account) as wanted
      union
      select control.account, entry.operator_id, entry.recorded_at
        from control join audit_entry entry on entry.subject_id = control.operator_id
        where entry.action in ('operator.create', 'operator.create-code', 'operator.reset-sign-in')
          and entry.recorded_at > now() - make_interval(days => ${CONTROL_DAYS})
          and (entry.operator_id <> 'owner' or (select environment from installation where is_only) = 'production')
    )
    select operator_id as "operatorId", (select max(at) from control) + make_interval(days => ${CONTROL_DAYS}) as until
      from control group by operator_id having count(distinct account) > 1 order by operator_id limit 1`,
};

/**
 * @returns `undefined` when no person has held the codes of both, directly or through accounts between, within {@link CONTROL_DAYS} days.
 */
export async function findSharedControl(db: Queryable, oneId: string, otherId: string): Promise<SharedControl | undefined> {
  const [shared] = await run<SharedControl & Record<string, unknown>>(db, FIND, [[oneId, otherId]]);
  return shared;
}
