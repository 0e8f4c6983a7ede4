-- Operators sign in to the operator API: with a password and a second factor, for a session.
alter table operator_credential
  -- Of a password, its hash with salt and costs; of a second factor, its sealed secret. `secret_sha256` is the SHA-256 of this text.
  add column verifier text,
  -- Attempts since the last that succeeded, and when the last one began.
  add column attempts integer not null default 0,
  add column attempted_at timestamptz(3),
  -- Of a second factor: the step whose code was used last.
  add column last_step bigint,
  drop constraint operator_credential_kind,
  add constraint operator_credential_kind check (kind in ('code', 'token', 'session', 'password', 'totp')) not valid,
  add constraint operator_credential_verifier check ((verifier is not null) = (kind in ('password', 'totp'))) not valid;
