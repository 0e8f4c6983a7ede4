-- What of a contribution's amount is settled, before and after an adjustment, and the most that it may come to. Adjustments that were posted
-- before have none of it, and stay as they are.

alter table adjustment add column settled_amount_before numeric(60, 12);
alter table adjustment add column settled_amount_after numeric(60, 12);
-- What the settled points are worth at the highest value that a point ever had for the partner.
alter table adjustment add column settled_amount_max numeric(60, 12);
-- An admin's reason for an amount outside these bounds, in the draft.
alter table adjustment add column beyond_worth_reason text;
alter table adjustment add constraint adjustment_amount_bounds check (
  (settled_amount_before is null) = (settled_amount_after is null) and (settled_amount_max is null) = (settled_amount_after is null)
  and (settled_amount_after is null or posted_by is not null)
  and (settled_amount_after is null or amount_delta is null or settled_amount_after = settled_amount_before + amount_delta)
  and (settled_amount_after is null or beyond_worth_reason is not null or settled_amount_after between 0 and settled_amount_max)
);

create or replace function guard_adjustment() returns trigger language plpgsql as $$
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
  if old.status = 'approved' and new.status = 'posted' and new.amount_delta is not null and new.settled_amount_after is null then
    raise exception 'an adjustment of an amount is posted with the settled amount' using errcode = 'restrict_violation';
  end if;
  if (to_jsonb(new) - '{status,approved_by,approved_at,rejected_by,rejected_at,note,posted_by,posted_at,settled_points_before,settled_points_after,settled_amount_before,settled_amount_after,settled_amount_max,original_settlement_id,settlement_id}'::text[])
     <> (to_jsonb(old) - '{status,approved_by,approved_at,rejected_by,rejected_at,note,posted_by,posted_at,settled_points_before,settled_points_after,settled_amount_before,settled_amount_after,settled_amount_max,original_settlement_id,settlement_id}'::text[])
     or (old.approved_by is not null and (new.approved_by, new.approved_at) is distinct from (old.approved_by, old.approved_at)) then
    raise exception 'an adjustment keeps what was drafted and approved' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
