-- Who may change something, who changed what, and what happens by the clock.

-- Operators: people. Their roles are enforced by the operations.
create table operator (
  operator_id text collate "C" not null,
  name text not null,
  email text,
  role text collate "C" not null,
  created_at timestamptz(3) not null,
  disabled_at timestamptz(3),
  constraint operator_pkey primary key (operator_id),
  constraint operator_role check (role in ('viewer', 'operator', 'approver', 'admin'))
);
-- Two people may have one name, and never one address.
create unique index operator_email on operator (lower(email)) where disabled_at is null;
create trigger operator_is_kept before delete on operator for each row execute function refuse_change();

-- What an operator signs in with: a code that works once, then a token. Only hashes are kept.
create table operator_credential (
  credential_id text collate "C" not null,
  operator_id text collate "C" not null,
  kind text collate "C" not null,
  secret_sha256 bytea not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  ended_at timestamptz(3),
  constraint operator_credential_pkey primary key (credential_id),
  constraint operator_credential_operator foreign key (operator_id) references operator (operator_id),
  constraint operator_credential_kind check (kind in ('code', 'token')),
  constraint operator_credential_hash check (length(secret_sha256) = 32)
);
create index operator_credential_of on operator_credential (operator_id);

-- Tells one installation from another, whatever its address: a sign-in belongs to one.
alter table installation add column installation_id text collate "C" not null default 'ins_' || replace(gen_random_uuid()::text, '-', '');

-- Who changed what. Entries are appended only; each carries an HMAC over itself and the entry before it.
create table audit_entry (
  entry_no bigint not null,
  recorded_at timestamptz(3) not null,
  operator_id text collate "C" not null,
  role text collate "C" not null,
  action text collate "C" not null,
  partner_id text collate "C",
  subject_id text collate "C" not null,
  before_json text,
  after_json text,
  correlation_id text collate "C" not null,
  previous_mac text collate "C" not null,
  key_id text collate "C" not null,
  mac text collate "C" not null,
  constraint audit_entry_pkey primary key (entry_no)
);
create index audit_entry_of_partner on audit_entry (partner_id, entry_no);
create index audit_entry_of_subject on audit_entry (subject_id, entry_no);
create trigger audit_entry_is_kept before update or delete on audit_entry for each row execute function refuse_change();
create trigger audit_entry_is_not_emptied before truncate on audit_entry for each statement execute function refuse_change();

-- The end of the chain: whoever appends holds this row.
create table audit_head (
  only_row boolean not null default true,
  last_no bigint not null,
  last_mac text collate "C" not null,
  constraint audit_head_pkey primary key (only_row),
  constraint audit_head_single check (only_row)
);
insert into audit_head (last_no, last_mac) values (0, '');

create function guard_audit_head() returns trigger language plpgsql as $$
begin
  raise exception 'the end of the audit goes on by one entry at a time, not from % to %', old.last_no, new.last_no
    using errcode = 'restrict_violation';
end $$;
create trigger audit_head_goes_on before update on audit_head
  for each row when (new.last_no <> old.last_no + 1) execute function guard_audit_head();
create trigger audit_head_is_kept before delete on audit_head for each row execute function refuse_change();

-- Work by the clock. Who does it holds the lease, which ends by itself when its process does.
create table job (
  job_name text collate "C" not null,
  pattern text collate "C" not null,
  due_at timestamptz(3) not null,
  last_run_no bigint not null default 0,
  lease_until timestamptz(3),
  failures_in_row int not null default 0,
  last_success_at timestamptz(3),
  constraint job_pkey primary key (job_name)
);

create table job_run (
  job_name text collate "C" not null,
  run_no bigint not null,
  trigger text collate "C" not null,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  outcome text collate "C",
  result_json text,
  error text,
  constraint job_run_pkey primary key (job_name, run_no),
  constraint job_run_trigger check (trigger in ('schedule', 'hand')),
  constraint job_run_outcome check (outcome in ('succeeded', 'failed', 'stopped', 'abandoned')),
  constraint job_run_ended check ((outcome is null) = (ended_at is null))
);
create index job_run_under_way on job_run (job_name) where ended_at is null;
create index job_run_started on job_run (started_at);
