-- Corrections of what is settled, by two people. partner_id stands first in every key, so that the table can be distributed by it.

create table adjustment (
  partner_id text collate "C" not null,
  adjustment_id text collate "C" not null,
  status text collate "C" not null default 'draft',
  -- The contribution as it is and stays.
  transaction_id text collate "C" not null,
  partner_event_id text collate "C" not null,
  partner_order_ref text collate "C" not null,
  contribution_points bigint not null,
  confirmed_at timestamptz(3) not null,
  contribution_rule_version text collate "C" not null,
  point_conversion_version text collate "C" not null,
  tree_cost_version text collate "C" not null,
  reason_code text collate "C" not null,
  reason_en text not null,
  reason_ar text not null,
  points_delta bigint not null,
  amount_delta numeric(60, 12),
  reversal_of text collate "C",
  drafted_by text collate "C" not null,
  drafted_at timestamptz(3) not null,
  approved_by text collate "C",
  approved_at timestamptz(3),
  rejected_by text collate "C",
  rejected_at timestamptz(3),
  -- Why it was rejected, in the operator's words.
  note text,
  posted_by text collate "C",
  posted_at timestamptz(3),
  settled_points_before bigint,
  settled_points_after bigint,
  -- Where the contribution was settled when this was posted.
  original_settlement_id text collate "C",
  -- The settlement that closed over it.
  settlement_id text collate "C",
  constraint adjustment_pkey primary key (partner_id, adjustment_id),
  constraint adjustment_status check (
    (status = 'draft' and approved_by is null and rejected_by is null and posted_by is null)
    or (status = 'approved' and approved_by is not null and rejected_by is null and posted_by is null)
    or (status = 'rejected' and rejected_by is not null and posted_by is null)
    or (status = 'posted' and approved_by is not null and rejected_by is null and posted_by is not null)
  ),
  constraint adjustment_approved check ((approved_by is null) = (approved_at is null)),
  constraint adjustment_rejected check ((rejected_by is null) = (rejected_at is null)),
  constraint adjustment_posted check (
    (posted_by is null) = (posted_at is null) and (posted_by is null) = (settled_points_after is null)
    and (settled_points_before is null) = (settled_points_after is null) and (settlement_id is null or posted_by is not null)
  ),
  constraint adjustment_two_people check (approved_by <> drafted_by),
  constraint adjustment_deltas check ((points_delta = 0) = (amount_delta is not null) and amount_delta <> 0),
  -- Settled points stay within 0 and the contribution's points.
  constraint adjustment_bounds check (
    settled_points_after = settled_points_before::numeric + points_delta and settled_points_before between 0 and contribution_points
    and settled_points_after between 0 and contribution_points
  )
);
-- What is undone is undone once.
create unique index adjustment_one_reversal on adjustment (partner_id, reversal_of) where status <> 'rejected';
create index adjustment_of_contribution on adjustment (partner_id, transaction_id);
create index adjustment_unsettled on adjustment (partner_id, posted_at) where status = 'posted' and settlement_id is null;

-- Draft, approved, posted; or rejected until it is posted. What is posted changes once more: a settlement closes over it.
create function guard_adjustment() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('draft', 'approved'), ('draft', 'rejected'), ('approved', 'posted'), ('approved', 'rejected'), ('posted', 'posted')
  ) then
    raise exception 'an adjustment does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if old.status = 'posted' and (old.settlement_id is not null or new.settlement_id is null
     or (to_jsonb(new) - 'settlement_id') <> (to_jsonb(old) - 'settlement_id')) then
    raise exception 'an adjustment that is posted is put on one settlement, and is never changed' using errcode = 'restrict_violation';
  end if;
  if (to_jsonb(new) - '{status,approved_by,approved_at,rejected_by,rejected_at,note,posted_by,posted_at,settled_points_before,settled_points_after,original_settlement_id,settlement_id}'::text[])
     <> (to_jsonb(old) - '{status,approved_by,approved_at,rejected_by,rejected_at,note,posted_by,posted_at,settled_points_before,settled_points_after,original_settlement_id,settlement_id}'::text[])
     or (old.approved_by is not null and (new.approved_by, new.approved_at) is distinct from (old.approved_by, old.approved_at)) then
    raise exception 'an adjustment keeps what was drafted and approved' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger adjustment_transition before update on adjustment for each row execute function guard_adjustment();
create trigger adjustment_is_kept before delete on adjustment for each row execute function refuse_change();
