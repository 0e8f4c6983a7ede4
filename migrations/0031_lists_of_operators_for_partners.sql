-- An operator compares a list for a partner: its name stands beside the list, and neither waits for the other's.
alter table reconciliation add column if not exists uploaded_by text collate "C";

-- One at a time of the partner itself, and one of the operators.
create unique index if not exists reconciliation_one_at_a_time_next on reconciliation (partner_id, (uploaded_by is null))
  where status in ('receiving', 'comparing');
drop index reconciliation_one_at_a_time;
alter index reconciliation_one_at_a_time_next rename to reconciliation_one_at_a_time;

-- Operators see the lists of all partners, and those of a settlement, in the order of their time.
create index if not exists reconciliation_latest_next on reconciliation (reconciliation_id);
alter index reconciliation_latest_next rename to reconciliation_latest;

create index if not exists reconciliation_of_settlement_next on reconciliation (partner_id, settlement_id, reconciliation_id);
alter index reconciliation_of_settlement_next rename to reconciliation_of_settlement;
