-- Looks at the credentials from before 0037 too, in a transaction of its own: others read and write meanwhile.

alter table operator_credential validate constraint operator_credential_kind, validate constraint operator_credential_verifier;
