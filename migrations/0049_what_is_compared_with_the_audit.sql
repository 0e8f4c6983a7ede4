-- A closing compares the adjustments of its partner with the audit: their entries are few among the partner's entries, and among all.
-- On a table with rows src/store/schema/build-indexes.ts has built the index before this begins, while others went on writing.

create index if not exists audit_entry_of_adjustment_next on audit_entry (partner_id, subject_id) where action like 'adjustment.%';
alter index audit_entry_of_adjustment_next rename to audit_entry_of_adjustment;

-- The verification reads the endpoints of all partners in the order of their ids, with the removed ones. Every status is other than '': only
-- a statement that says so reads by this index, so that none of a partner's endpoints that was planned on an empty table does.
create index if not exists webhook_endpoint_by_id_next on webhook_endpoint (endpoint_id) where status <> '';
alter index webhook_endpoint_by_id_next rename to webhook_endpoint_by_id;
