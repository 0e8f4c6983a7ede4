import type { Operator } from '../domain/operator.ts';
import type { Role } from '../domain/role.ts';
import type { Queryable } from './database.ts';
import { violatedKey } from './database-errors.ts';
import { NOW } from './rows.ts';
import { run, type Statement } from './statement.ts';

const COLUMNS = 'operator_id as "operatorId", name, email, role, created_at as "createdAt", disabled_at as "disabledAt"';

const INSERT: Statement = {
  name: 'insert_operator',
  text: `insert into operator (operator_id, name, email, role, created_at) values ($1, $2, $3, $4, ${NOW}) returning ${COLUMNS}`,
};

/** @returns `undefined` when another operator, who is not disabled, has this address. */
export async function insertOperator(
  db: Queryable,
  { operatorId, name, email, role }: Pick<Operator, 'operatorId' | 'name' | 'email' | 'role'>,
): Promise<Operator | undefined> {
  try {
    return (await run<Operator>(db, INSERT, [operatorId, name, email, role]))[0];
  } catch (error) {
    if (violatedKey(error) === 'operator_email') return undefined;
    throw error;
  }
}

const LIST: Statement = { name: 'list_operators', text: `select ${COLUMNS} from operator order by operator_id` };

/** In the order of their making. */
export async function listOperators(db: Queryable): Promise<Operator[]> {
  return run<Operator>(db, LIST, []);
}

const LOCK: Statement = { name: 'lock_operator', text: `select ${COLUMNS} from operator where operator_id = $1 for update` };

export async function lockOperator(db: Queryable, operatorId: string): Promise<Operator | undefined> {
  const [operator] = await run<Operator>(db, LOCK, [operatorId]);
  return operator;
}

const UPDATE_ROLE: Statement = {
  name: 'update_operator_role',
  text: `update operator set role = $2 where operator_id = $1 returning ${COLUMNS}`,
};

export async function updateOperatorRole(db: Queryable, operatorId: string, role: Role): Promise<Operator> {
  const [operator] = await run<Operator>(db, UPDATE_ROLE, [operatorId, role]);
  return operator as Operator;
}

const DISABLE: Statement = {
  name: 'update_operator_disabled',
  text: `update operator set disabled_at = coalesce(disabled_at, ${NOW}) where operator_id = $1 returning ${COLUMNS}`,
};

/** Disabling twice keeps the time of the first. */
export async function updateOperatorDisabled(db: Queryable, operatorId: string): Promise<Operator> {
  const [operator] = await run<Operator>(db, DISABLE, [operatorId]);
  return operator as Operator;
}

const SHARES_ADDRESS: Statement = {
  name: 'operators_share_address',
  text: `select 1 from operator one join operator other on lower(one.email) = lower(other.email)
    where one.operator_id = $1 and other.operator_id = $2`,
};

/** Whether two operators have one address, as somebody has who was disabled and made anew. */
export async function shareAddress(db: Queryable, operatorId: string, otherId: string): Promise<boolean> {
  return (await run(db, SHARES_ADDRESS, [operatorId, otherId])).length > 0;
}
