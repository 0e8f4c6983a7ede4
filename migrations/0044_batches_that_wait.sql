-- What the overview counts: the batches that wait for their verification, which are few among all.
-- On a table with rows src/store/schema/build-indexes.ts has built it before this begins, while others went on writing.

create index if not exists impact_batch_waiting_next on impact_batch (impact_batch_id) where status = 'delivered';
alter index impact_batch_waiting_next rename to impact_batch_waiting;
