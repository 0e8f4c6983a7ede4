-- Of the unique keys of a table only its primary key can be used by a statement that names the partner alone. While a table is empty the
-- planner takes any index that begins with the partner to be as good as that of the whole key, and keeps to it; foreign keys are
-- looked up by statements that nobody can write otherwise. These columns are never null: so the indexes have every row, as before.
--
-- On a table with rows src/store/schema/build-indexes.ts has built the new ones before this begins, while others went on writing.

create unique index if not exists contribution_idempotency_key_next on contribution (partner_id, idempotency_key)
  where idempotency_key is not null;
alter table contribution drop constraint contribution_idempotency_key;
alter index contribution_idempotency_key_next rename to contribution_idempotency_key;

create unique index if not exists contribution_partner_event_next on contribution (partner_id, partner_event_id)
  where partner_event_id is not null;
alter table contribution drop constraint contribution_partner_event;
alter index contribution_partner_event_next rename to contribution_partner_event;

create unique index if not exists estimate_idempotency_key_next on estimate (partner_id, idempotency_key)
  where idempotency_key is not null;
alter table estimate drop constraint estimate_idempotency_key;
alter index estimate_idempotency_key_next rename to estimate_idempotency_key;
