-- What partners are told: events in each partner's own gapless order, the endpoints that want them, and every attempt to deliver.
-- partner_id stands first in every key, so that the tables can be distributed by it.

-- The correlation id of the request that recorded the contribution: its events carry it.
alter table contribution add column correlation_id text collate "C";

create or replace function guard_contribution() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    raise exception 'a contribution is not recorded as failed' using errcode = 'restrict_violation';
  end if;
  if old.status <> 'pending' or new.status not in ('confirmed', 'failed') then
    raise exception 'a contribution does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if (new.partner_id, new.transaction_id, new.idempotency_key, new.fingerprint, new.partner_event_id, new.partner_order_ref,
      new.points, new.opaque_customer_ref, new.first_status, new.contribution_rule_version, new.point_conversion_version, new.tree_cost_version,
      new.summary_en, new.summary_ar, new.calculation_id, new.correlation_id, new.created_at)
     is distinct from
     (old.partner_id, old.transaction_id, old.idempotency_key, old.fingerprint, old.partner_event_id, old.partner_order_ref,
      old.points, old.opaque_customer_ref, old.first_status, old.contribution_rule_version, old.point_conversion_version, old.tree_cost_version,
      old.summary_en, old.summary_ar, old.calculation_id, old.correlation_id, old.created_at) then
    raise exception 'only the outcome of a pending contribution may change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- An event in the transaction of its change. What it says is in the record that it is about; `data` holds what is not.
-- The position is drawn before the commit, so what began after another had committed has the higher one.
create table event_outbox (
  partner_id text collate "C" not null,
  position bigint generated always as identity,
  event_id text collate "C" not null,
  event_type text collate "C" not null,
  subject_id text collate "C" not null,
  correlation_id text collate "C",
  occurred_at timestamptz(3) not null,
  data text,
  constraint event_outbox_pkey primary key (partner_id, position)
);

-- The last sequence of each partner: whoever numbers its events holds this row.
create table event_counter (
  partner_id text collate "C" not null,
  last_sequence bigint not null default 0,
  constraint event_counter_pkey primary key (partner_id)
);
insert into event_counter (partner_id) select partner_id from partner;

-- The body's bytes are made once, when they are first wanted, and never change after that.
create table event (
  partner_id text collate "C" not null,
  sequence bigint not null,
  event_id text collate "C" not null,
  event_type text collate "C" not null,
  subject_id text collate "C" not null,
  correlation_id text collate "C",
  occurred_at timestamptz(3) not null,
  data text,
  body text,
  constraint event_pkey primary key (partner_id, sequence),
  constraint event_id_once unique (partner_id, event_id),
  constraint event_sequence check (sequence >= 1)
);

create table webhook_endpoint (
  partner_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  url text not null,
  -- Empty: every kind.
  event_types text[] not null default '{}',
  status text collate "C" not null,
  status_reason text collate "C",
  created_at timestamptz(3) not null,
  changed_at timestamptz(3) not null,
  secret_sealed text not null,
  next_secret_sealed text,
  -- From then on the next secret is the only one.
  next_secret_from timestamptz(3),
  constraint webhook_endpoint_pkey primary key (partner_id, endpoint_id),
  constraint webhook_endpoint_status check (status in ('active', 'disabled', 'removed')),
  constraint webhook_endpoint_rotation check ((next_secret_sealed is null) = (next_secret_from is null))
);

-- How an endpoint fares. It changes with every attempt, the endpoint itself hardly ever.
create table endpoint_health (
  partner_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  failures_in_row integer not null default 0,
  failing_since timestamptz(3),
  breaker_trips integer not null default 0,
  breaker_open_until timestamptz(3),
  constraint endpoint_health_pkey primary key (partner_id, endpoint_id)
);

create table delivery (
  partner_id text collate "C" not null,
  delivery_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  -- Of the event; null for a challenge, a test or a sample, whose body stands here.
  sequence bigint,
  body text,
  event_type text collate "C" not null,
  trigger text collate "C" not null,
  status text collate "C" not null,
  attempts integer not null default 0,
  attempts_left integer not null,
  next_attempt_at timestamptz(3) not null,
  -- Who claims a delivery raises this and moves its next attempt a minute on; whoever comes back with an older number is too late.
  lease bigint not null default 0,
  created_at timestamptz(3) not null,
  ended_at timestamptz(3),
  constraint delivery_pkey primary key (partner_id, delivery_id),
  -- What waits is held while its endpoint is disabled, and will never be sent once that is removed.
  constraint delivery_status check (status in ('waiting', 'delivered', 'exhausted')),
  constraint delivery_trigger check (trigger in ('event', 'resend', 'recover', 'replay', 'test', 'sample')),
  constraint delivery_body check ((sequence is null) = (body is not null))
);
create index delivery_due on delivery (partner_id, endpoint_id, next_attempt_at) where status = 'waiting';
create index delivery_of_no_event on delivery (partner_id, delivery_id) where sequence is null;
create index delivery_exhausted on delivery (partner_id, endpoint_id, delivery_id) where status = 'exhausted' and sequence is not null;

create table delivery_attempt (
  partner_id text collate "C" not null,
  delivery_id text collate "C" not null,
  -- The lease under which it was made: one that nobody wrote down, because its sender died, leaves a gap.
  number bigint not null,
  endpoint_id text collate "C" not null,
  trigger text collate "C" not null,
  started_at timestamptz(3) not null,
  milliseconds integer not null,
  -- Of the answer; null when there was none, and then the class of the error says why.
  status integer,
  error_class text collate "C",
  excerpt text,
  constraint delivery_attempt_pkey primary key (partner_id, delivery_id, number)
);
