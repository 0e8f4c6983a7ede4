-- A delivery whose first attempt succeeds is written twice, and the second time within its page: no index of the table has a column that changes.

-- The first attempt, if it succeeded and the delivery was created for an event; other attempts are in delivery_attempt.
alter table delivery
  add column first_started_at timestamptz(3),
  add column first_milliseconds integer,
  add column first_status integer,
  add column first_excerpt text;

-- Room for the second version of each row.
alter table delivery set (fillfactor = 45);

-- `handed_over`: claimed by its creator; delivered from `ended_at` on.
alter table delivery
  drop constraint delivery_status,
  add constraint delivery_status check (status in ('waiting', 'handed_over', 'delivered', 'exhausted')) not valid;

-- Deliveries that were handed over together: those of events of these partners with these sequences, until the lease ends.
create table delivery_hand_over (
  lease_ends_at timestamptz(3) not null,
  hand_over_id text collate "C" not null,
  partner_ids text[] collate "C" not null,
  first_sequences bigint[] not null,
  last_sequences bigint[] not null,
  constraint delivery_hand_over_pkey primary key (lease_ends_at, hand_over_id)
);
