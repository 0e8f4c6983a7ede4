-- A list that broke off before its end frees its idempotency key: nothing was answered for it.

alter table reconciliation alter column idempotency_key drop not null;
alter table reconciliation add constraint reconciliation_has_key check (idempotency_key is not null or status = 'failed');
update reconciliation set idempotency_key = null where status = 'failed' and fingerprint is null;
