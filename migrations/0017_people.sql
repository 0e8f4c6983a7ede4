-- Who counts as a person: addresses in one form, and since when an installation has an admin.

-- Lower case and without what follows a plus sign, as src/domain/access/email-address.ts has it. Of accounts that turn out to have one address
-- the first keeps it: the others are none of two people until somebody makes an account anew.
alter table operator add column email_canonical text collate "C";
update operator set email_canonical = found.canonical
  from (
    select operator_id, canonical, row_number() over (partition by canonical, disabled_at is null order by created_at, operator_id) as place
      from (
        select operator_id, created_at, disabled_at, regexp_replace(lower(email collate "C"), '\+[^@]*@', '@') as canonical
          from operator where email ~ '^[A-Za-z0-9][A-Za-z0-9.+_-]*@[A-Za-z0-9.-]*[A-Za-z0-9]$'
      ) as written
  ) as found
  where operator.operator_id = found.operator_id and (found.place = 1 or operator.disabled_at is not null);
drop index operator_email;
create unique index operator_email_canonical on operator (email_canonical) where disabled_at is null;

-- From then on the owner of the machine changes nothing in production.
alter table installation add column first_admin_at timestamptz(3);
update installation set first_admin_at = (
  select min(at) from (
    select created_at as at from operator where role = 'admin'
    union all
    select recorded_at from audit_entry
      where action in ('operator.create', 'operator.change-role') and after_json like '%"role":"admin"%'
  ) as admins
);
