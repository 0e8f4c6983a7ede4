-- Operators sign in with a passkey too. Its verifier is the public key with the host that it belongs to, and its `last_step` the time of the
-- last challenge that it answered, in milliseconds.
alter table operator_credential
  -- How often the authenticator says that it was used.
  add column counter bigint,
  drop constraint operator_credential_kind,
  add constraint operator_credential_kind check (kind in ('code', 'token', 'session', 'password', 'totp', 'passkey')) not valid,
  drop constraint operator_credential_verifier,
  add constraint operator_credential_verifier check ((verifier is not null) = (kind in ('password', 'totp', 'passkey'))) not valid;
