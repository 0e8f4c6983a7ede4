import { canonicalAddress } from '../../domain/access/email-address.ts';
import type { Operator } from '../../domain/access/operator.ts';
import type { Role } from '../../domain/access/role.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { violatedKey } from '../database-errors.ts';
import { type ListById, type PageOfIds, run, runListById, type Statement } from '../query.ts';

const COLUMNS = 'operator_id as "operatorId", name, email, role, created_at as "createdAt", disabled_at as "disabledAt"';

const INSERT: Statement = {
  name: 'insert_operator',
  text: `insert into operator (operator_id, name, email, email_canonical, role, created_at) values ($1, $2, $3, $4, $5, ${NOW})
    returning ${COLUMNS}`,
};

/** @returns `undefined` when another operator, who is not disabled, has this address. */
export async function insertOperator(
  db: Queryable,
  { operatorId, name, email, role }: Pick<Operator, 'operatorId' | 'name' | 'email' | 'role'>,
): Promise<Operator | undefined> {
  const values = [operatorId, name, email, canonicalAddress(email), role];
  const [operator] = await run<Operator>(db, INSERT, values).catch(noneWhereAddressIsTaken);
  return operator;
}

/** Two accounts that are not disabled never have the same canonical address. */
function noneWhereAddressIsTaken(error: unknown): Operator[] {
  if (violatedKey(error) === 'operator_email_canonical') return [];
  throw error;
}

const UPDATE_EMAIL: Statement = {
  name: 'update_operator_email',
  text: `update operator set email = $2, email_canonical = $3 where operator_id = $1 returning ${COLUMNS}`,
};

/** @returns As {@link insertOperator}. */
export async function updateOperatorEmail(db: Queryable, operatorId: string, email: string): Promise<Operator | undefined> {
  const values = [operatorId, email, canonicalAddress(email)];
  const [operator] = await run<Operator>(db, UPDATE_EMAIL, values).catch(noneWhereAddressIsTaken);
  return operator;
}

const FIND: Statement = { name: 'find_operator', text: `select ${COLUMNS} from operator where operator_id = $1` };

export async function findOperator(db: Queryable, operatorId: string): Promise<Operator | undefined> {
  const [operator] = await run<Operator>(db, FIND, [operatorId]);
  return operator;
}

const LIST_BY_ID: ListById = { name: 'list_operators_by_id', select: `select ${COLUMNS} from operator`, id: 'operator_id' };

/** All operators or these. */
export async function listOperatorsOfIds(db: Queryable, page: PageOfIds): Promise<Operator[]> {
  return runListById<Operator>(db, LIST_BY_ID, page);
}

const LIST: Statement = { name: 'list_operators', text: `select ${COLUMNS} from operator order by operator_id` };

/** In the order of their creation. */
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

/** Disabling twice keeps the first time. */
export async function updateOperatorDisabled(db: Queryable, operatorId: string): Promise<Operator> {
  const [operator] = await run<Operator>(db, DISABLE, [operatorId]);
  return operator as Operator;
}
