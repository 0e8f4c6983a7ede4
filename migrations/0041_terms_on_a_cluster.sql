-- A distributed database plans no subquery without columns: there the guard failed instead of refusing.
create or replace function guard_partner_terms() returns trigger language plpgsql as $$
begin
  if exists (select 1 from contribution where partner_id = old.partner_id)
     or exists (select 1 from rule_version where partner_id = old.partner_id and currency is not null) then
    raise exception 'currency and time zone of a partner are fixed once something rests on them' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
