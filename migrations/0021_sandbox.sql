-- What partners rehearse in a sandbox: scenarios, reviews that end by themselves, estimates that end early, and a clock for each partner.

-- One row for each key that was rehearsed with a scenario. Only a sandbox writes here.
create table sandbox_rehearsal (
  partner_id text collate "C" not null,
  idempotency_key text collate "C" not null,
  operation text collate "C" not null,
  scenario text collate "C" not null,
  -- How many requests with the key were refused on request.
  refusals bigint not null default 0,
  -- Of the first request.
  correlation_id text collate "C" not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  -- The record that the key made under the scenario.
  subject_id text collate "C",
  -- When the partner first looked that record up, and the correlation id of the look-up.
  looked_up_at timestamptz(3),
  looked_up_by text collate "C",
  constraint sandbox_rehearsal_pkey primary key (partner_id, idempotency_key, operation, scenario)
);

create index sandbox_rehearsal_of_subject on sandbox_rehearsal (partner_id, subject_id) where looked_up_at is null;

-- What a partner's traffic has shown of its readiness for production, once for each item.
create table sandbox_evidence (
  partner_id text collate "C" not null,
  item text collate "C" not null,
  correlation_id text collate "C" not null,
  subject_id text collate "C",
  seen_at timestamptz(3) not null,
  constraint sandbox_evidence_pkey primary key (partner_id, item)
);

-- How a pending contribution ends by itself, and when; gone once it has ended.
create table sandbox_due (
  partner_id text collate "C" not null,
  transaction_id text collate "C" not null,
  outcome text collate "C" not null,
  due_at timestamptz(3) not null,
  constraint sandbox_due_pkey primary key (partner_id, transaction_id),
  constraint sandbox_due_outcome check (outcome in ('confirmed', 'failed'))
);

-- How far ahead of the database's clock a partner's is.
create table sandbox_clock (
  partner_id text collate "C" not null,
  ahead_ms bigint not null,
  advanced_at timestamptz(3) not null,
  constraint sandbox_clock_pkey primary key (partner_id)
);

-- What was answered to a partner's request that has no record of its own to keep its key.
create table keyed_answer (
  partner_id text collate "C" not null,
  idempotency_key text collate "C" not null,
  operation text collate "C" not null,
  fingerprint bytea not null,
  -- Whoever claimed it does the work; a claim that was left is taken over.
  claimed_at timestamptz(3) not null,
  -- Sealed where it tells a secret.
  answer text,
  constraint keyed_answer_pkey primary key (partner_id, idempotency_key, operation),
  constraint keyed_answer_fingerprint_length check (length(fingerprint) = 32)
);

-- A distributed database takes triggers that look at their own row alone, when it is told to. Elsewhere it means nothing.
set local citus.enable_unsafe_triggers = on;

alter table contribution_review drop constraint contribution_review_reason;
alter table contribution_review add constraint contribution_review_reason
  check (reason in ('reviews_everything', 'review_threshold', 'daily_points_cap', 'daily_count_cap', 'sandbox_scenario')) not valid;

alter table api_key drop constraint api_key_permission;
alter table api_key add constraint api_key_permission check (permission in ('read_write', 'read_only', 'manage')) not valid;

-- When the estimate ends for whoever uses it, where that is before expires_at. It comes nearer only, and nothing else of the row changes.
alter table estimate add column ends_at timestamptz(3);
drop trigger estimate_is_immutable on estimate;
create trigger estimate_is_kept before delete on estimate for each row execute function refuse_change();
create trigger estimate_is_immutable before update on estimate for each row
  when ((to_jsonb(new) - 'ends_at') <> (to_jsonb(old) - 'ends_at') or new.ends_at is null
    or new.ends_at > coalesce(old.ends_at, old.expires_at))
  execute function refuse_change();
