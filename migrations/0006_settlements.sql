-- What a partner owes: settlements, their lines, and what the partner says to them.
-- partner_id stands first in every key, so that the tables can be distributed by it.

-- The currency of a partner's settlements, and by whose calendar they run.
alter table partner add column if not exists currency text collate "C";
alter table partner add column if not exists time_zone text collate "C" not null default 'Asia/Riyadh';

create table settlement (
  partner_id text collate "C" not null,
  settlement_id text collate "C" not null,
  sequence bigint not null,
  status text collate "C" not null,
  period_start timestamptz(3) not null,
  period_end timestamptz(3) not null,
  period_timezone text collate "C" not null,
  period_label text collate "C" not null,
  -- Every confirmation whose event has this number or a lower one is on a line of an earlier settlement.
  follows_event bigint not null,
  created_at timestamptz(3) not null,
  closed_at timestamptz(3),
  contribution_count bigint,
  adjustment_count bigint,
  gross_points numeric,
  adjustment_points numeric,
  carried_points numeric,
  net_points numeric,
  -- Before the one rounding.
  exact_amount numeric(60, 12),
  currency text collate "C",
  totals_by_version text,
  csv_sha256 text collate "C",
  csv_bytes bigint,
  line_count integer,
  previous_csv_sha256 text collate "C",
  chain_sha256 text collate "C",
  -- Over everything above, under a key that is not in the database.
  seal text collate "C",
  constraint settlement_pkey primary key (partner_id, settlement_id),
  constraint settlement_sequence unique (partner_id, sequence),
  constraint settlement_period_label unique (partner_id, period_label),
  constraint settlement_numbers check (sequence >= 1 and period_start < period_end),
  constraint settlement_status check (
    (status = 'open' and closed_at is null and csv_sha256 is null)
    or (status = 'closed' and closed_at is not null and contribution_count is not null and adjustment_count is not null
      and gross_points is not null and adjustment_points is not null and carried_points is not null and net_points is not null
      and totals_by_version is not null and csv_sha256 is not null and csv_bytes is not null and line_count is not null
      and chain_sha256 is not null and seal is not null)
  )
);
create unique index settlement_one_open on settlement (partner_id) where status = 'open';

-- A line is a copy: it stays as it is whatever becomes of its record. It names the settlement and the contribution without foreign
-- keys, which would lock each of a million contributions once more.
create table settlement_line (
  partner_id text collate "C" not null,
  settlement_id text collate "C" not null,
  line_no integer not null,
  line_type text collate "C" not null,
  transaction_id text collate "C",
  adjustment_id text collate "C",
  partner_event_id text collate "C",
  partner_order_ref text collate "C",
  points bigint not null,
  amount numeric(60, 12),
  currency text collate "C",
  confirmed_at timestamptz(3),
  posted_at timestamptz(3),
  contribution_rule_version text collate "C",
  point_conversion_version text collate "C",
  tree_cost_version text collate "C",
  calculation_id text collate "C",
  association_status text collate "C",
  reason_code text collate "C",
  original_settlement_id text collate "C",
  constraint settlement_line_pkey primary key (partner_id, settlement_id, line_no),
  constraint settlement_line_type check (line_type in ('contribution', 'adjustment', 'carried_forward')),
  constraint settlement_line_amount check ((amount is null) = (currency is null))
);
-- Whatever the clocks do, a contribution is settled once, and so is an adjustment.
create unique index settlement_line_contribution on settlement_line (partner_id, transaction_id) where line_type = 'contribution';
create unique index settlement_line_adjustment on settlement_line (partner_id, adjustment_id) where line_type = 'adjustment';

-- Proofs of up to a thousand lines each, eight bytes a line, under a key that is not in the database.
create table settlement_line_proof (
  partner_id text collate "C" not null,
  settlement_id text collate "C" not null,
  first_line_no integer not null,
  proofs bytea not null,
  constraint settlement_line_proof_pkey primary key (partner_id, settlement_id, first_line_no)
);

-- Confirmed contributions that are on no line and that no event leads to: those from before events were written, and those whose
-- event went before a settlement closed over it.
create table settlement_candidate (
  partner_id text collate "C" not null,
  transaction_id text collate "C" not null,
  -- Of the event that went.
  sequence bigint,
  constraint settlement_candidate_pkey primary key (partner_id, transaction_id)
);
insert into settlement_candidate (partner_id, transaction_id)
select c.partner_id, c.transaction_id from contribution c
where c.status = 'confirmed'
  and not exists (select from event e where e.partner_id = c.partner_id and e.event_id = 'evt_' || substr(c.transaction_id, 5))
  and not exists (
    select from event_outbox o where o.partner_id = c.partner_id and o.event_id = 'evt_' || substr(c.transaction_id, 5)
  );

create table settlement_acknowledgement (
  partner_id text collate "C" not null,
  settlement_id text collate "C" not null,
  status text collate "C" not null,
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  reference text collate "C",
  note text,
  acknowledged_at timestamptz(3) not null,
  -- A dispute may end in acceptance; nothing else follows on anything.
  constraint settlement_acknowledgement_pkey primary key (partner_id, settlement_id, status),
  constraint settlement_acknowledgement_key unique (partner_id, idempotency_key),
  constraint settlement_acknowledgement_status check (status in ('accepted', 'disputed')),
  constraint settlement_acknowledgement_fingerprint_length check (length(fingerprint) = 32)
);

-- An open settlement is closed, once, and nothing else ever changes it.
create function guard_settlement() returns trigger language plpgsql as $$
begin
  if old.status <> 'open' or new.status <> 'closed' then
    raise exception 'a settlement does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if (new.partner_id, new.settlement_id, new.sequence, new.period_start, new.period_timezone, new.period_label, new.follows_event, new.created_at)
     is distinct from
     (old.partner_id, old.settlement_id, old.sequence, old.period_start, old.period_timezone, old.period_label, old.follows_event, old.created_at)
     or new.period_end > old.period_end then
    raise exception 'a settlement that is closed keeps what it was opened with' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger settlement_transition before update on settlement for each row execute function guard_settlement();
create trigger settlement_is_kept before delete on settlement for each row execute function refuse_change();
create trigger settlement_line_is_immutable before update or delete on settlement_line for each row execute function refuse_change();
create trigger settlement_line_proof_is_immutable before update or delete on settlement_line_proof
  for each row execute function refuse_change();
create trigger settlement_acknowledgement_is_immutable before update or delete on settlement_acknowledgement
  for each row execute function refuse_change();

-- A partner's own list beside a settlement. The list's lines are removed after a while, the counts are kept.
create table reconciliation (
  partner_id text collate "C" not null,
  reconciliation_id text collate "C" not null,
  settlement_id text collate "C" not null,
  idempotency_key text collate "C" not null,
  -- Null until the whole list has come.
  fingerprint bytea,
  format text collate "C" not null,
  status text collate "C" not null,
  -- Why it failed.
  problem text,
  listed_lines bigint not null default 0,
  -- Counts by verdict, as an object of JSON.
  counts text not null default '{}',
  -- The last line of the settlement that was looked for in the list.
  compared_through integer not null default 0,
  -- Whoever works on it moves this on; past it, another one takes it up.
  lease_until timestamptz(3) not null,
  created_at timestamptz(3) not null,
  ended_at timestamptz(3),
  lines_removed_at timestamptz(3),
  constraint reconciliation_pkey primary key (partner_id, reconciliation_id),
  constraint reconciliation_idempotency_key unique (partner_id, idempotency_key),
  constraint reconciliation_status check (
    (status in ('receiving', 'comparing') and ended_at is null)
    or (status = 'done' and ended_at is not null)
    or (status = 'failed' and ended_at is not null and problem is not null)
  )
);
create unique index reconciliation_one_at_a_time on reconciliation (partner_id) where status in ('receiving', 'comparing');
create index reconciliation_with_lines on reconciliation (partner_id, reconciliation_id) where ended_at is not null and lines_removed_at is null;

create table reconciliation_line (
  partner_id text collate "C" not null,
  reconciliation_id text collate "C" not null,
  -- The line of the list; what is missing in the list comes behind all of them.
  position bigint not null,
  verdict text collate "C" not null,
  partner_event_id text collate "C",
  partner_order_ref text collate "C",
  points bigint,
  transaction_id text collate "C",
  recorded_order_ref text collate "C",
  recorded_points bigint,
  recorded_settlement_id text collate "C",
  -- What is wrong with a malformed line, as an array of JSON.
  problems text,
  constraint reconciliation_line_pkey primary key (partner_id, reconciliation_id, position)
);
create index reconciliation_line_verdict on reconciliation_line (partner_id, reconciliation_id, verdict, position);
create index reconciliation_line_event on reconciliation_line (partner_id, reconciliation_id, partner_event_id, position);
