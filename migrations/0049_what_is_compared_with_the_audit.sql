-- A closing compares the adjustments of its partner with the audit: their entries are few among the partner's entries, and among all.
-- On a table with rows src/store/schema/build-indexes.ts has built the index before this begins, while others went on writing.

create index if not exists audit_entry_of_adjustment_next on audit_entry (partner_id, subject_id) where action like 'adjustment.%';
alter index audit_entry_of_adjustment_next rename to audit_entry_of_adjustment;
