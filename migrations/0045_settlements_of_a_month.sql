-- Operators list and add up the settlements of a calendar month: `2026-11`, and `2026-11-2` of a partner whose first was closed early.
-- On a table with rows src/store/schema/build-indexes.ts has built the new one before this begins, while others went on writing.

drop index settlement_closed_period;
create index if not exists settlement_closed_month_next on settlement (left(period_label, 7), closed_at, settlement_id)
  where status = 'closed';
alter index settlement_closed_month_next rename to settlement_closed_month;
