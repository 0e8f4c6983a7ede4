-- What a partner names a contribution by stands before the partner in its unique key. The key is as unique as before, a look-up by the whole
-- key finds its row at once (`rowOfName` in src/store/query.ts), and an operator's search finds a name over all partners at once, where
-- it asked once for each partner.
--
-- On a table with rows src/store/schema/build-indexes.ts has built the new ones before this begins, while others went on writing. The
-- strongest lock is taken first: a weaker one before it would end transactions that have read a contribution and write it now.

drop index contribution_idempotency_key;
create unique index if not exists contribution_idempotency_key_named_next on contribution (idempotency_key, partner_id);
alter index contribution_idempotency_key_named_next rename to contribution_idempotency_key;

drop index contribution_partner_event;
create unique index if not exists contribution_partner_event_named_next on contribution (partner_event_id, partner_id);
alter index contribution_partner_event_named_next rename to contribution_partner_event;

drop index contribution_order_holder;
create unique index if not exists contribution_order_holder_named_next on contribution (partner_order_ref, partner_id)
  where status in ('pending', 'confirmed');
alter index contribution_order_holder_named_next rename to contribution_order_holder;

drop index contribution_failed_of_order;
create index if not exists contribution_failed_of_order_named_next on contribution (partner_order_ref, partner_id) where status = 'failed';
alter index contribution_failed_of_order_named_next rename to contribution_failed_of_order;
