-- What is kept for good is not emptied either, and keys, sign-ins, endpoints and drafts are kept: their end is a time or a status.
-- A trigger is made at once, but waits for the writers of its table: those of confirmations come last, and wait for nothing else.

-- A distributed database takes triggers that look at their own row alone, or at none, when it is told to. Elsewhere it means nothing.
set local citus.enable_unsafe_triggers = on;

create trigger api_key_is_kept before delete on api_key for each row execute function refuse_change();
create trigger operator_credential_is_kept before delete on operator_credential for each row execute function refuse_change();
create trigger webhook_endpoint_is_kept before delete on webhook_endpoint for each row execute function refuse_change();
create trigger failure_draft_is_kept before delete on failure_draft for each row execute function refuse_change();

create trigger partner_is_not_emptied before truncate on partner for each statement execute function refuse_change();
create trigger api_key_is_not_emptied before truncate on api_key for each statement execute function refuse_change();
create trigger operator_is_not_emptied before truncate on operator for each statement execute function refuse_change();
create trigger operator_credential_is_not_emptied before truncate on operator_credential for each statement execute function refuse_change();
create trigger audit_head_is_not_emptied before truncate on audit_head for each statement execute function refuse_change();
create trigger rule_version_is_not_emptied before truncate on rule_version for each statement execute function refuse_change();
create trigger project_is_not_emptied before truncate on project for each statement execute function refuse_change();
create trigger impact_batch_is_not_emptied before truncate on impact_batch for each statement execute function refuse_change();
create trigger impact_batch_change_is_not_emptied before truncate on impact_batch_change for each statement execute function refuse_change();
create trigger impact_evidence_is_not_emptied before truncate on impact_evidence for each statement execute function refuse_change();
create trigger impact_batch_settlement_is_not_emptied before truncate on impact_batch_settlement
  for each statement execute function refuse_change();
create trigger webhook_endpoint_is_not_emptied before truncate on webhook_endpoint for each statement execute function refuse_change();
create trigger failure_draft_is_not_emptied before truncate on failure_draft for each statement execute function refuse_change();
create trigger adjustment_is_not_emptied before truncate on adjustment for each statement execute function refuse_change();
create trigger settlement_is_not_emptied before truncate on settlement for each statement execute function refuse_change();
create trigger settlement_line_is_not_emptied before truncate on settlement_line for each statement execute function refuse_change();
create trigger settlement_line_proof_is_not_emptied before truncate on settlement_line_proof
  for each statement execute function refuse_change();
create trigger settlement_acknowledgement_is_not_emptied before truncate on settlement_acknowledgement
  for each statement execute function refuse_change();
create trigger emissions_link_is_not_emptied before truncate on emissions_link for each statement execute function refuse_change();
create trigger estimate_is_not_emptied before truncate on estimate for each statement execute function refuse_change();
create trigger contribution_is_not_emptied before truncate on contribution for each statement execute function refuse_change();
