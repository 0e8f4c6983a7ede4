-- What a partner rehearsed, in the order of its beginning: each check of the readiness reads a few of it, however much there is, and
-- what is old is removed.
-- On a table with rows src/store/schema/build-indexes.ts has built the indexes before this begins, while others went on writing.

create index if not exists sandbox_rehearsal_refused_next on sandbox_rehearsal (partner_id, substring(scenario, '^[a-z_]+'), first_at)
  where operation = 'confirmContribution' and refusals > 0;
alter index sandbox_rehearsal_refused_next rename to sandbox_rehearsal_refused;
create index if not exists sandbox_rehearsal_looked_up_next on sandbox_rehearsal (partner_id, first_at) where looked_up_at is not null;
alter index sandbox_rehearsal_looked_up_next rename to sandbox_rehearsal_looked_up;
create index if not exists sandbox_rehearsal_first_next on sandbox_rehearsal (partner_id, first_at);
alter index sandbox_rehearsal_first_next rename to sandbox_rehearsal_first;
