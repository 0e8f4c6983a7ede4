import { CONTROL_DAYS } from '../../domain/access/operator.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

/** The account that is behind both of two accounts. */
export interface SharedControl {
  readonly operatorId: string;
  /** The time from which the accounts count as different, if none of them is created or reset until then. */
  readonly until: Date;
}

/** Whoever has the code of an account, by its audit entry. In a sandbox the owner account creates all operators, and leads nowhere. */
const HAS_CODE = `entry.action in ('operator.create', 'operator.create-code', 'operator.reset-sign-in')
          and entry.recorded_at > now() - make_interval(days => ${CONTROL_DAYS})
          and (entry.operator_id <> 'owner' or (select environment from installation where is_only) = 'production')`;

/**
 * Each account leads to the operator who created or reset it, and so on, by the audit. Entries are found by their subject, so that the
 * cost depends on the accounts and not on the audit.
 */
const FIND: Statement = {
  name: 'find_shared_control',
  text: `with recursive control (account, operator_id, at) as (
      select account, account, null::timestamptz from (select unnest($1::text[]) collate "C" as account) as wanted
      union
      select control.account, entry.operator_id, entry.recorded_at
        from control join audit_entry entry on entry.subject_id = control.operator_id
        where ${HAS_CODE}
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

const LIST: Statement = {
  name: 'list_controllers',
  text: `with recursive control (account, operator_id) as (
      select account, account from (select unnest($1::text[]) collate "C" as account) as wanted
      union
      select control.account, entry.operator_id
        from control join audit_entry entry on entry.subject_id = control.operator_id
        where ${HAS_CODE}
    )
    select account, array_agg(operator_id) as "operatorIds" from control group by account`,
};

/**
 * Who is behind each account by the rule of {@link findSharedControl}, the account itself included: two accounts with an operator in
 * common count as one person. One walk, which takes each pair of an account and an operator once.
 */
export async function listControllers(
  db: Queryable,
  accounts: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await run<{ account: string; operatorIds: string[] }>(db, LIST, [accounts]);
  return new Map(rows.map(({ account, operatorIds }) => [account, new Set(operatorIds)]));
}
