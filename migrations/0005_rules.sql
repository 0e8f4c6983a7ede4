-- By which rules contributions are judged, what is counted for daily caps, what operators review, and what two of them record as failed.
-- partner_id stands first in every key of the tables that grow, so that they can be distributed by it.

-- The one currency and the time zone of a partner's settlements, fixed once something rests on them.
alter table partner add column if not exists currency text;
alter table partner add column if not exists time_zone text not null default 'Asia/Riyadh';
alter table partner add constraint partner_currency check (currency ~ '^[A-Z]{3}$');
-- An unknown zone fails here, and not when a day is counted by it.
alter table partner add constraint partner_time_zone check (timezone(time_zone, '2000-01-01 00:00:00+00'::timestamptz) is not null);

-- Every version of the three kinds of rule. A label means one version of its kind, for good: one that was withdrawn keeps its own.
create table rule_version (
  kind text collate "C" not null,
  version text collate "C" not null,
  -- Null: for every partner that has no version of its own.
  partner_id text collate "C",
  starts_at timestamptz(3) not null,
  points_min bigint,
  points_max bigint,
  reviews_everything boolean,
  review_threshold bigint,
  daily_points_cap bigint,
  daily_count_cap bigint,
  point_value numeric,
  tree_cost numeric,
  currency text collate "C",
  created_at timestamptz(3) not null,
  withdrawn_at timestamptz(3),
  constraint rule_version_pkey primary key (kind, version),
  constraint rule_version_of_partner foreign key (partner_id) references partner (partner_id),
  constraint rule_version_kind check (kind in ('contribution_rule', 'point_conversion', 'tree_cost')),
  constraint rule_version_bounds check (
    case when kind = 'contribution_rule'
      then points_min >= 1 and points_max >= points_min and reviews_everything is not null
        and coalesce(review_threshold >= 1, true) and coalesce(daily_points_cap >= 1, true) and coalesce(daily_count_cap >= 1, true)
      else num_nonnulls(points_min, points_max, reviews_everything, review_threshold, daily_points_cap, daily_count_cap) = 0
    end
  ),
  constraint rule_version_price check (
    (point_value is null or (kind = 'point_conversion' and point_value > 0 and point_value < 1e12 and scale(point_value) <= 12))
    and (tree_cost is null or (kind = 'tree_cost' and tree_cost > 0 and tree_cost < 1e12 and scale(tree_cost) <= 12))
    and (currency is not null) = (num_nonnulls(point_value, tree_cost) = 1)
  )
);
-- Which version is in force is never a matter of chance.
create unique index rule_version_start on rule_version (kind, coalesce(partner_id, ''), starts_at) where withdrawn_at is null;

-- Whoever adds or withdraws a version raises this, one after the other; a process reads the versions again when it has changed.
create table rule_revision (
  only_row boolean not null default true,
  revision bigint not null,
  constraint rule_revision_pkey primary key (only_row),
  constraint rule_revision_single check (only_row)
);
insert into rule_revision (revision) values (0);

-- A minute before its start every process knows a version, and from then on it stays: contributions may carry its label.
create function guard_rule_version() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'a version of a rule is kept for good' using errcode = 'restrict_violation';
  end if;
  if old.withdrawn_at is not null or new.withdrawn_at is null or old.starts_at < now() + interval '1 minute'
     or (to_jsonb(new) - 'withdrawn_at') <> (to_jsonb(old) - 'withdrawn_at') then
    raise exception 'a version of a rule changes only by being withdrawn, a minute before its start or earlier'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger rule_version_is_immutable before update or delete on rule_version for each row execute function guard_rule_version();

create function guard_partner_terms() returns trigger language plpgsql as $$
begin
  if exists (select from contribution where partner_id = old.partner_id)
     or exists (select from rule_version where partner_id = old.partner_id and currency is not null) then
    raise exception 'currency and time zone of a partner are fixed once something rests on them' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
-- A currency may be given at any time to a partner that has none.
create trigger partner_terms_are_fixed before update of currency, time_zone on partner for each row
  when ((old.currency is not null and new.currency is distinct from old.currency) or new.time_zone <> old.time_zone)
  execute function guard_partner_terms();

-- What a capped partner's contributions come to on one of its days: confirmed and pending count, failed does not.
-- Whoever adds one holds the row, in every process.
create table daily_count (
  partner_id text collate "C" not null,
  day date not null,
  points numeric not null,
  contributions bigint not null,
  constraint daily_count_pkey primary key (partner_id, day),
  constraint daily_count_not_below_zero check (points >= 0 and contributions >= 0)
);

-- Why a contribution began as pending, and who ended that.
create table contribution_review (
  partner_id text collate "C" not null,
  transaction_id text collate "C" not null,
  reason text collate "C" not null,
  -- The day that it counts on for a cap, which a failure gives back; null where it was not counted.
  counted_on date,
  opened_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolved_by text collate "C",
  note text,
  constraint contribution_review_pkey primary key (partner_id, transaction_id),
  constraint contribution_review_reason check (
    reason in ('reviews_everything', 'review_threshold', 'daily_points_cap', 'daily_count_cap')
  ),
  constraint contribution_review_resolution check (num_nonnulls(resolved_at, resolved_by, note) in (0, 3))
);
create index contribution_review_open on contribution_review (partner_id, opened_at, transaction_id) where resolved_at is null;
insert into contribution_review (partner_id, transaction_id, reason, opened_at)
  select partner_id, transaction_id, 'reviews_everything', created_at from contribution where status = 'pending';

-- An event that was never stored, on its way to be recorded as failed by two operators.
create table failure_draft (
  partner_id text collate "C" not null,
  failure_id text collate "C" not null,
  partner_event_id text collate "C" not null,
  partner_order_ref text collate "C" not null,
  points bigint not null,
  reason text not null,
  status text collate "C" not null,
  drafted_by text collate "C" not null,
  drafted_at timestamptz(3) not null,
  decided_by text collate "C",
  decided_at timestamptz(3),
  -- The contribution that was recorded as failed.
  transaction_id text collate "C",
  constraint failure_draft_pkey primary key (partner_id, failure_id),
  constraint failure_draft_points check (points >= 1),
  constraint failure_draft_status check (
    (status = 'drafted' and num_nonnulls(decided_by, decided_at, transaction_id) = 0)
    or (status = 'approved' and num_nonnulls(decided_by, decided_at, transaction_id) = 3 and decided_by <> drafted_by)
    or (status = 'rejected' and num_nonnulls(decided_by, decided_at) = 2 and transaction_id is null)
  )
);
create unique index failure_draft_open on failure_draft (partner_id, partner_event_id) where status = 'drafted';

-- The two operators of a contribution that was recorded as failed; null for every other.
alter table contribution add column failure_drafted_by text collate "C";
alter table contribution add column failure_approved_by text collate "C";
alter table contribution drop constraint contribution_first_status;
alter table contribution add constraint contribution_first_status check (
  first_status = 'pending'
  or (first_status = 'confirmed' and status = 'confirmed')
  or (first_status = 'failed' and status = 'failed' and association_outcome = 'not_requested')
);
-- Nobody is signed in as the owner of the machine or as the schedule: neither is one of the two.
alter table contribution add constraint contribution_failed_by_two check (
  (first_status = 'failed') = (num_nonnulls(failure_drafted_by, failure_approved_by) = 2)
  and (first_status = 'failed' or num_nonnulls(failure_drafted_by, failure_approved_by) = 0)
  and coalesce(failure_drafted_by <> failure_approved_by, true)
  and coalesce(failure_drafted_by not in ('owner', 'schedule') and failure_approved_by not in ('owner', 'schedule'), true)
);

create or replace function guard_contribution() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.first_status = 'failed' and new.failure_drafted_by <> new.failure_approved_by then
      return new;
    end if;
    raise exception 'a contribution is recorded as failed by two operators only' using errcode = 'restrict_violation';
  end if;
  if old.status <> 'pending' or new.status not in ('confirmed', 'failed') then
    raise exception 'a contribution does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if (new.partner_id, new.transaction_id, new.idempotency_key, new.fingerprint, new.partner_event_id, new.partner_order_ref,
      new.points, new.opaque_customer_ref, new.first_status, new.contribution_rule_version, new.point_conversion_version, new.tree_cost_version,
      new.summary_en, new.summary_ar, new.calculation_id, new.correlation_id, new.created_at, new.failure_drafted_by, new.failure_approved_by)
     is distinct from
     (old.partner_id, old.transaction_id, old.idempotency_key, old.fingerprint, old.partner_event_id, old.partner_order_ref,
      old.points, old.opaque_customer_ref, old.first_status, old.contribution_rule_version, old.point_conversion_version, old.tree_cost_version,
      old.summary_en, old.summary_ar, old.calculation_id, old.correlation_id, old.created_at, old.failure_drafted_by, old.failure_approved_by) then
    raise exception 'only the outcome of a pending contribution may change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
