-- Operators list settlements by their amount, of a currency: one without lines has the amount 0, and stands among them.
-- On a table with rows src/store/schema/build-indexes.ts has built the new one before this begins, while others went on writing.

drop index settlement_closed_amount;
create index if not exists settlement_closed_payable_next on settlement (currency, coalesce(exact_amount, 0), settlement_id)
  where status = 'closed' and (exact_amount is not null or contribution_count + adjustment_count = 0 and carried_points = 0);
alter index settlement_closed_payable_next rename to settlement_closed_payable;
