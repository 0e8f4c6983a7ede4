-- The schema that the migrations make, read from the catalogue. `npm run schema` writes it.

create table adjustment (
  partner_id text collate "C" not null,
  adjustment_id text collate "C" not null,
  status text collate "C" not null default 'draft'::text,
  transaction_id text collate "C" not null,
  partner_event_id text collate "C" not null,
  partner_order_ref text collate "C" not null,
  contribution_points bigint not null,
  confirmed_at timestamp(3) with time zone not null,
  contribution_rule_version text collate "C" not null,
  point_conversion_version text collate "C" not null,
  tree_cost_version text collate "C" not null,
  reason_code text collate "C" not null,
  reason_en text not null,
  reason_ar text not null,
  points_delta bigint not null,
  amount_delta numeric(60,12),
  reversal_of text collate "C",
  drafted_by text collate "C" not null,
  drafted_at timestamp(3) with time zone not null,
  approved_by text collate "C",
  approved_at timestamp(3) with time zone,
  rejected_by text collate "C",
  rejected_at timestamp(3) with time zone,
  note text,
  posted_by text collate "C",
  posted_at timestamp(3) with time zone,
  settled_points_before bigint,
  settled_points_after bigint,
  original_settlement_id text collate "C",
  settlement_id text collate "C",
  settled_amount_before numeric(60,12),
  settled_amount_after numeric(60,12),
  settled_amount_max numeric(60,12),
  beyond_worth_reason text,
  constraint adjustment_pkey PRIMARY KEY (partner_id, adjustment_id),
  constraint adjustment_amount_bounds CHECK ((((settled_amount_before IS NULL) = (settled_amount_after IS NULL)) AND ((settled_amount_max IS NULL) = (settled_amount_after IS NULL)) AND ((settled_amount_after IS NULL) OR (posted_by IS NOT NULL)) AND ((settled_amount_after IS NULL) OR (amount_delta IS NULL) OR (settled_amount_after = (settled_amount_before + amount_delta))) AND ((settled_amount_after IS NULL) OR (beyond_worth_reason IS NOT NULL) OR ((settled_amount_after >= (0)::numeric) AND (settled_amount_after <= settled_amount_max))))),
  constraint adjustment_approved CHECK (((approved_by IS NULL) = (approved_at IS NULL))),
  constraint adjustment_bounds CHECK ((((settled_points_after)::numeric = ((settled_points_before)::numeric + (points_delta)::numeric)) AND ((settled_points_before >= 0) AND (settled_points_before <= contribution_points)) AND ((settled_points_after >= 0) AND (settled_points_after <= contribution_points)))),
  constraint adjustment_deltas CHECK ((((points_delta = 0) = (amount_delta IS NOT NULL)) AND (amount_delta <> (0)::numeric))),
  constraint adjustment_posted CHECK ((((posted_by IS NULL) = (posted_at IS NULL)) AND ((posted_by IS NULL) = (settled_points_after IS NULL)) AND ((settled_points_before IS NULL) = (settled_points_after IS NULL)) AND ((settlement_id IS NULL) OR (posted_by IS NOT NULL)))),
  constraint adjustment_rejected CHECK (((rejected_by IS NULL) = (rejected_at IS NULL))),
  constraint adjustment_status CHECK ((((status = 'draft'::text) AND (approved_by IS NULL) AND (rejected_by IS NULL) AND (posted_by IS NULL)) OR ((status = 'approved'::text) AND (approved_by IS NOT NULL) AND (rejected_by IS NULL) AND (posted_by IS NULL)) OR ((status = 'rejected'::text) AND (rejected_by IS NOT NULL) AND (posted_by IS NULL)) OR ((status = 'posted'::text) AND (approved_by IS NOT NULL) AND (rejected_by IS NULL) AND (posted_by IS NOT NULL)))),
  constraint adjustment_two_people CHECK ((approved_by <> drafted_by))
);

CREATE INDEX adjustment_latest ON public.adjustment USING btree (adjustment_id);

CREATE INDEX adjustment_of_contribution ON public.adjustment USING btree (partner_id, transaction_id);

CREATE INDEX adjustment_points ON public.adjustment USING btree (points_delta, adjustment_id);

CREATE INDEX adjustment_points_of ON public.adjustment USING btree (partner_id, points_delta, adjustment_id);

CREATE INDEX adjustment_unsettled ON public.adjustment USING btree (partner_id, posted_at) WHERE ((status = 'posted'::text) AND (settlement_id IS NULL));

CREATE INDEX adjustment_waiting ON public.adjustment USING btree (status, adjustment_id) WHERE (status = ANY (ARRAY['draft'::text, 'approved'::text]));

CREATE INDEX adjustment_waiting_points ON public.adjustment USING btree (status, points_delta, adjustment_id) WHERE (status = ANY (ARRAY['draft'::text, 'approved'::text]));

CREATE UNIQUE INDEX adjustment_one_reversal ON public.adjustment USING btree (partner_id, reversal_of) WHERE (status <> 'rejected'::text);

CREATE TRIGGER adjustment_is_kept BEFORE DELETE ON public.adjustment FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER adjustment_is_not_emptied BEFORE TRUNCATE ON public.adjustment FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER adjustment_transition BEFORE UPDATE ON public.adjustment FOR EACH ROW EXECUTE FUNCTION guard_adjustment();

create table api_key (
  key_id text collate "C" not null,
  partner_id text collate "C" not null,
  secret_sha256 bytea not null,
  name text not null,
  permission text not null,
  allowed_addresses text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  constraint api_key_pkey PRIMARY KEY (key_id),
  constraint api_key_of_partner FOREIGN KEY (partner_id) REFERENCES partner(partner_id),
  constraint api_key_permission CHECK ((permission = ANY (ARRAY['read_write'::text, 'read_only'::text, 'manage'::text]))),
  constraint api_key_secret_length CHECK ((length(secret_sha256) = 32))
);

CREATE INDEX api_key_by_partner ON public.api_key USING btree (partner_id);

CREATE TRIGGER api_key_is_kept BEFORE DELETE ON public.api_key FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER api_key_is_not_emptied BEFORE TRUNCATE ON public.api_key FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table audit_entry (
  entry_no bigint not null,
  recorded_at timestamp(3) with time zone not null,
  operator_id text collate "C" not null,
  role text collate "C" not null,
  action text collate "C" not null,
  partner_id text collate "C",
  subject_id text collate "C" not null,
  before_json text,
  after_json text,
  correlation_id text collate "C" not null,
  previous_mac text collate "C" not null,
  key_id text collate "C" not null,
  mac text collate "C" not null,
  constraint audit_entry_pkey PRIMARY KEY (entry_no)
);

CREATE INDEX audit_entry_of_action ON public.audit_entry USING btree (action, entry_no);

CREATE INDEX audit_entry_of_adjustment ON public.audit_entry USING btree (partner_id, subject_id) WHERE (action ~~ 'adjustment.%'::text);

CREATE INDEX audit_entry_of_operator ON public.audit_entry USING btree (operator_id, entry_no);

CREATE INDEX audit_entry_of_partner ON public.audit_entry USING btree (partner_id, entry_no);

CREATE INDEX audit_entry_of_subject ON public.audit_entry USING btree (subject_id, entry_no);

CREATE INDEX audit_entry_recorded ON public.audit_entry USING btree (recorded_at, entry_no);

CREATE TRIGGER audit_entry_is_kept BEFORE DELETE OR UPDATE ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_entry_is_not_emptied BEFORE TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table audit_head (
  only_row boolean not null default true,
  last_no bigint not null,
  last_mac text collate "C" not null,
  constraint audit_head_pkey PRIMARY KEY (only_row),
  constraint audit_head_single CHECK (only_row)
);

CREATE TRIGGER audit_head_goes_on BEFORE UPDATE ON public.audit_head FOR EACH ROW WHEN ((new.last_no <> (old.last_no + 1))) EXECUTE FUNCTION guard_audit_head();

CREATE TRIGGER audit_head_is_kept BEFORE DELETE ON public.audit_head FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_head_is_not_emptied BEFORE TRUNCATE ON public.audit_head FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table contribution (
  partner_id text collate "C" not null,
  transaction_id text collate "C" not null,
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  partner_event_id text collate "C" not null,
  partner_order_ref text collate "C" not null,
  points bigint not null,
  opaque_customer_ref text collate "C",
  status text collate "C" not null,
  first_status text collate "C" not null,
  contribution_rule_version text collate "C" not null,
  point_conversion_version text collate "C" not null,
  tree_cost_version text collate "C" not null,
  summary_en text not null,
  summary_ar text not null,
  calculation_id text collate "C",
  association_outcome text collate "C" not null,
  rejection_code text collate "C",
  failure_reason text,
  created_at timestamp(3) with time zone not null,
  confirmed_at timestamp(3) with time zone,
  failed_at timestamp(3) with time zone,
  correlation_id text collate "C",
  failure_drafted_by text collate "C",
  failure_approved_by text collate "C",
  seal bytea,
  seal_key text collate "C",
  constraint contribution_pkey PRIMARY KEY (partner_id, transaction_id),
  constraint contribution_association CHECK ((((association_outcome = 'rejected'::text) = (rejection_code IS NOT NULL)) AND (association_outcome = ANY (ARRAY['not_requested'::text, 'associated'::text, 'rejected'::text])) AND ((association_outcome <> 'associated'::text) OR ((calculation_id IS NOT NULL) AND (status = 'confirmed'::text))))),
  constraint contribution_failed_by_two CHECK ((((first_status = 'failed'::text) = (num_nonnulls(failure_drafted_by, failure_approved_by) = 2)) AND ((first_status = 'failed'::text) OR (num_nonnulls(failure_drafted_by, failure_approved_by) = 0)) AND COALESCE((failure_drafted_by <> failure_approved_by), true) AND COALESCE(((failure_drafted_by <> ALL (ARRAY['owner'::text, 'schedule'::text])) AND (failure_approved_by <> ALL (ARRAY['owner'::text, 'schedule'::text]))), true))),
  constraint contribution_fingerprint_length CHECK ((length(fingerprint) = 32)),
  constraint contribution_first_status CHECK (((first_status = 'pending'::text) OR ((first_status = 'confirmed'::text) AND (status = 'confirmed'::text)) OR ((first_status = 'failed'::text) AND (status = 'failed'::text) AND (association_outcome = 'not_requested'::text)))),
  constraint contribution_points CHECK ((points >= 1)),
  constraint contribution_status CHECK ((((status = 'pending'::text) AND (confirmed_at IS NULL) AND (failed_at IS NULL)) OR ((status = 'confirmed'::text) AND (confirmed_at IS NOT NULL) AND (failed_at IS NULL)) OR ((status = 'failed'::text) AND (confirmed_at IS NULL) AND (failed_at IS NOT NULL) AND (failure_reason IS NOT NULL))))
);

CREATE INDEX contribution_failed_of_order ON public.contribution USING btree (partner_order_ref, partner_id) WHERE (status = 'failed'::text);

CREATE INDEX contribution_pending_points ON public.contribution USING btree (points, transaction_id) WHERE (status = 'pending'::text);

CREATE INDEX contribution_pending_points_of ON public.contribution USING btree (partner_id, points, transaction_id) WHERE (status = 'pending'::text);

CREATE UNIQUE INDEX contribution_idempotency_key ON public.contribution USING btree (idempotency_key, partner_id);

CREATE UNIQUE INDEX contribution_order_holder ON public.contribution USING btree (partner_order_ref, partner_id) WHERE (status = ANY (ARRAY['pending'::text, 'confirmed'::text]));

CREATE UNIQUE INDEX contribution_partner_event ON public.contribution USING btree (partner_event_id, partner_id);

CREATE TRIGGER contribution_is_kept BEFORE DELETE ON public.contribution FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER contribution_is_not_born_failed BEFORE INSERT ON public.contribution FOR EACH ROW WHEN ((new.status = 'failed'::text)) EXECUTE FUNCTION guard_contribution();

CREATE TRIGGER contribution_is_not_emptied BEFORE TRUNCATE ON public.contribution FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER contribution_transition BEFORE UPDATE ON public.contribution FOR EACH ROW EXECUTE FUNCTION guard_contribution();

create table contribution_review (
  partner_id text collate "C" not null,
  transaction_id text collate "C" not null,
  reason text collate "C" not null,
  counted_on date,
  opened_at timestamp(3) with time zone not null,
  resolved_at timestamp(3) with time zone,
  resolved_by text collate "C",
  note text,
  constraint contribution_review_pkey PRIMARY KEY (partner_id, transaction_id),
  constraint contribution_review_reason CHECK ((reason = ANY (ARRAY['reviews_everything'::text, 'review_threshold'::text, 'daily_points_cap'::text, 'daily_count_cap'::text, 'sandbox_scenario'::text]))),
  constraint contribution_review_resolution CHECK ((num_nonnulls(resolved_at, resolved_by, note) = ANY (ARRAY[0, 3])))
);

CREATE INDEX contribution_review_open ON public.contribution_review USING btree (partner_id, opened_at, transaction_id) WHERE (resolved_at IS NULL);

CREATE INDEX contribution_review_waiting ON public.contribution_review USING btree (opened_at, transaction_id) WHERE (resolved_at IS NULL);

create table daily_count (
  partner_id text collate "C" not null,
  day date not null,
  points numeric not null,
  contributions bigint not null,
  constraint daily_count_pkey PRIMARY KEY (partner_id, day),
  constraint daily_count_not_below_zero CHECK (((points >= (0)::numeric) AND (contributions >= 0)))
);

create table daily_usage (
  partner_id text collate "C" not null,
  day date not null,
  stored_bytes bigint not null default 0,
  lists integer not null default 0,
  constraint daily_usage_pkey PRIMARY KEY (partner_id, day)
);

create table day_total (
  partner_id text collate "C" not null,
  day date not null,
  point_conversion_version text collate "C" not null,
  confirmed_count bigint not null default 0,
  confirmed_points numeric not null default 0,
  failed_count bigint not null default 0,
  constraint day_total_pkey PRIMARY KEY (partner_id, day, point_conversion_version)
);

CREATE INDEX day_total_of_day ON public.day_total USING btree (day);

create table day_total_place (
  partner_id text collate "C" not null,
  through_sequence bigint not null,
  constraint day_total_place_pkey PRIMARY KEY (partner_id)
);

create table delivery (
  partner_id text collate "C" not null,
  delivery_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  sequence bigint,
  body text,
  event_type text collate "C" not null,
  trigger text collate "C" not null,
  status text collate "C" not null,
  attempts integer not null default 0,
  attempts_left integer not null,
  next_attempt_at timestamp(3) with time zone not null,
  lease bigint not null default 0,
  created_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  first_started_at timestamp(3) with time zone,
  first_milliseconds integer,
  first_status integer,
  first_excerpt text,
  constraint delivery_pkey PRIMARY KEY (partner_id, delivery_id),
  constraint delivery_body CHECK (((sequence IS NULL) = (body IS NOT NULL))),
  constraint delivery_status CHECK ((status = ANY (ARRAY['waiting'::text, 'handed_over'::text, 'delivered'::text, 'exhausted'::text]))),
  constraint delivery_trigger CHECK ((trigger = ANY (ARRAY['event'::text, 'resend'::text, 'recover'::text, 'replay'::text, 'test'::text, 'sample'::text])))
) with (fillfactor=45);

CREATE INDEX delivery_due ON public.delivery USING btree (partner_id, endpoint_id, next_attempt_at) WHERE (status = 'waiting'::text);

CREATE INDEX delivery_exhausted ON public.delivery USING btree (partner_id, endpoint_id, delivery_id) WHERE ((status = 'exhausted'::text) AND (sequence IS NOT NULL));

CREATE INDEX delivery_of_no_event ON public.delivery USING btree (partner_id, delivery_id) WHERE (sequence IS NULL);

create table delivery_attempt (
  partner_id text collate "C" not null,
  delivery_id text collate "C" not null,
  number bigint not null,
  endpoint_id text collate "C" not null,
  trigger text collate "C" not null,
  started_at timestamp(3) with time zone not null,
  milliseconds integer not null,
  status integer,
  error_class text collate "C",
  excerpt text,
  constraint delivery_attempt_pkey PRIMARY KEY (partner_id, delivery_id, number)
);

create table delivery_hand_over (
  lease_ends_at timestamp(3) with time zone not null,
  hand_over_id text collate "C" not null,
  partner_ids text[] collate "C" not null,
  first_sequences bigint[] not null,
  last_sequences bigint[] not null,
  constraint delivery_hand_over_pkey PRIMARY KEY (lease_ends_at, hand_over_id)
);

create table emissions_link (
  partner_id text collate "C" not null,
  transaction_id text collate "C" not null,
  association_id text collate "C" not null,
  calculation_id text collate "C" not null,
  idempotency_key text collate "C",
  fingerprint bytea,
  partner_order_ref text collate "C" not null,
  estimated_emissions_kgco2e numeric not null,
  distance_km text collate "C" not null,
  vehicle_category text collate "C" not null,
  methodology_version text collate "C" not null,
  emission_factor_version text collate "C" not null,
  calculated_at timestamp(3) with time zone not null,
  associated_at timestamp(3) with time zone not null,
  constraint emissions_link_idempotency_key UNIQUE (partner_id, idempotency_key),
  constraint emissions_link_one_per_estimate UNIQUE (partner_id, calculation_id),
  constraint emissions_link_one_per_contribution PRIMARY KEY (partner_id, transaction_id),
  constraint emissions_link_contribution FOREIGN KEY (partner_id, transaction_id) REFERENCES contribution(partner_id, transaction_id),
  constraint emissions_link_estimate FOREIGN KEY (partner_id, calculation_id) REFERENCES estimate(partner_id, calculation_id),
  constraint emissions_link_key_with_fingerprint CHECK (((idempotency_key IS NULL) = (fingerprint IS NULL)))
);

CREATE TRIGGER emissions_link_is_immutable BEFORE DELETE OR UPDATE ON public.emissions_link FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER emissions_link_is_not_emptied BEFORE TRUNCATE ON public.emissions_link FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table endpoint_health (
  partner_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  failures_in_row integer not null default 0,
  failing_since timestamp(3) with time zone,
  breaker_trips integer not null default 0,
  breaker_open_until timestamp(3) with time zone,
  due_from timestamp(3) with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  stopped_by text collate "C",
  constraint endpoint_health_pkey PRIMARY KEY (partner_id, endpoint_id)
);

CREATE INDEX endpoint_health_failing ON public.endpoint_health USING btree (endpoint_id) WHERE (failing_since IS NOT NULL);

CREATE INDEX endpoint_health_failing_since ON public.endpoint_health USING btree (failing_since, endpoint_id) WHERE (failing_since IS NOT NULL);

create table endpoint_watch (
  partner_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  watched_until timestamp(3) with time zone not null,
  constraint endpoint_watch_pkey PRIMARY KEY (partner_id, endpoint_id)
);

CREATE INDEX endpoint_watch_until ON public.endpoint_watch USING btree (watched_until);

create table estimate (
  partner_id text collate "C" not null,
  calculation_id text collate "C" not null,
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  partner_order_ref text collate "C" not null,
  distance_km text collate "C" not null,
  vehicle_category text collate "C" not null,
  methodology_version text collate "C" not null,
  vehicle_catalog_version text collate "C" not null,
  emission_factor_version text collate "C" not null,
  emission_factor_gco2e_per_km numeric not null,
  lifecycle_boundary text collate "C" not null,
  raw_emissions_gco2e numeric not null,
  estimated_emissions_kgco2e numeric not null,
  calculated_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone,
  constraint estimate_pkey PRIMARY KEY (partner_id, calculation_id),
  constraint estimate_emissions CHECK (((emission_factor_gco2e_per_km > (0)::numeric) AND (raw_emissions_gco2e > (0)::numeric))),
  constraint estimate_fingerprint_length CHECK ((length(fingerprint) = 32))
);

CREATE UNIQUE INDEX estimate_idempotency_key ON public.estimate USING btree (partner_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE TRIGGER estimate_is_immutable BEFORE UPDATE ON public.estimate FOR EACH ROW WHEN ((((to_jsonb(new.*) - 'ends_at'::text) <> (to_jsonb(old.*) - 'ends_at'::text)) OR (new.ends_at IS NULL) OR (new.ends_at > COALESCE(old.ends_at, old.expires_at)))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER estimate_is_kept BEFORE DELETE ON public.estimate FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER estimate_is_not_emptied BEFORE TRUNCATE ON public.estimate FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table event (
  partner_id text collate "C" not null,
  sequence bigint not null,
  event_id text collate "C" not null,
  event_type text collate "C" not null,
  subject_id text collate "C" not null,
  correlation_id text collate "C",
  occurred_at timestamp(3) with time zone not null,
  data text,
  body text,
  packed_body bytea,
  body_values text,
  constraint event_id_once UNIQUE (partner_id, event_id),
  constraint event_pkey PRIMARY KEY (partner_id, sequence),
  constraint event_sequence CHECK ((sequence >= 1))
);

create table event_counter (
  partner_id text collate "C" not null,
  last_sequence bigint not null default 0,
  constraint event_counter_pkey PRIMARY KEY (partner_id)
);

create table event_outbox (
  partner_id text collate "C" not null,
  position bigint not null generated always as identity,
  event_id text collate "C" not null,
  event_type text collate "C" not null,
  subject_id text collate "C" not null,
  correlation_id text collate "C",
  occurred_at timestamp(3) with time zone not null,
  data text,
  written_by xid8 not null default pg_current_xact_id(),
  constraint event_outbox_pkey PRIMARY KEY (partner_id, written_by, "position")
);

CREATE INDEX event_outbox_waiting ON public.event_outbox USING btree (written_by, "position", partner_id);

create table failure_draft (
  partner_id text collate "C" not null,
  failure_id text collate "C" not null,
  partner_event_id text collate "C" not null,
  partner_order_ref text collate "C" not null,
  points bigint not null,
  reason text not null,
  status text collate "C" not null,
  drafted_by text collate "C" not null,
  drafted_at timestamp(3) with time zone not null,
  decided_by text collate "C",
  decided_at timestamp(3) with time zone,
  transaction_id text collate "C",
  constraint failure_draft_pkey PRIMARY KEY (partner_id, failure_id),
  constraint failure_draft_points CHECK ((points >= 1)),
  constraint failure_draft_status CHECK ((((status = 'drafted'::text) AND (num_nonnulls(decided_by, decided_at, transaction_id) = 0)) OR ((status = 'approved'::text) AND (num_nonnulls(decided_by, decided_at, transaction_id) = 3) AND (decided_by <> drafted_by)) OR ((status = 'rejected'::text) AND (num_nonnulls(decided_by, decided_at) = 2) AND (transaction_id IS NULL))))
);

CREATE INDEX failure_draft_latest ON public.failure_draft USING btree (failure_id);

CREATE INDEX failure_draft_points ON public.failure_draft USING btree (points, failure_id);

CREATE INDEX failure_draft_points_of ON public.failure_draft USING btree (partner_id, points, failure_id);

CREATE UNIQUE INDEX failure_draft_open ON public.failure_draft USING btree (partner_id, partner_event_id) WHERE (status = 'drafted'::text);

CREATE TRIGGER failure_draft_is_kept BEFORE DELETE ON public.failure_draft FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER failure_draft_is_not_emptied BEFORE TRUNCATE ON public.failure_draft FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table impact_batch (
  impact_batch_id text collate "C" not null,
  name text not null,
  status text collate "C" not null default 'recorded'::text,
  change_no integer not null default 0,
  project_id text collate "C",
  quantity bigint not null,
  delayed_at timestamp(3) with time zone,
  expected_delivery_period text collate "C",
  delivered_by text collate "C",
  verified_by text collate "C",
  created_at timestamp(3) with time zone not null,
  status_at timestamp(3) with time zone not null,
  constraint impact_batch_pkey PRIMARY KEY (impact_batch_id),
  constraint impact_batch_project FOREIGN KEY (project_id) REFERENCES project(project_id),
  constraint impact_batch_allocated CHECK (((status = 'recorded'::text) = (project_id IS NULL))),
  constraint impact_batch_delay CHECK (((delayed_at IS NULL) = (expected_delivery_period IS NULL))),
  constraint impact_batch_delivered CHECK (((status = ANY (ARRAY['delivered'::text, 'verified'::text])) = (delivered_by IS NOT NULL))),
  constraint impact_batch_quantity CHECK ((quantity >= 0)),
  constraint impact_batch_status CHECK ((status = ANY (ARRAY['recorded'::text, 'allocated'::text, 'funded'::text, 'in_progress'::text, 'delivered'::text, 'verified'::text]))),
  constraint impact_batch_two_people CHECK ((verified_by <> delivered_by)),
  constraint impact_batch_verified CHECK (((status = 'verified'::text) = (verified_by IS NOT NULL)))
);

CREATE INDEX impact_batch_quantity ON public.impact_batch USING btree (quantity, impact_batch_id);

CREATE INDEX impact_batch_waiting ON public.impact_batch USING btree (impact_batch_id) WHERE (status = 'delivered'::text);

CREATE TRIGGER impact_batch_is_kept BEFORE DELETE ON public.impact_batch FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER impact_batch_is_not_emptied BEFORE TRUNCATE ON public.impact_batch FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER impact_batch_transition BEFORE UPDATE ON public.impact_batch FOR EACH ROW EXECUTE FUNCTION guard_impact_batch();

create table impact_batch_change (
  impact_batch_id text collate "C" not null,
  change_no integer not null,
  change_type text collate "C" not null,
  previous_status text collate "C" not null,
  status text collate "C" not null,
  project_id text collate "C",
  quantity bigint not null,
  expected_delivery_period text collate "C",
  reason text,
  operator_id text collate "C" not null,
  occurred_at timestamp(3) with time zone not null,
  constraint impact_batch_change_pkey PRIMARY KEY (impact_batch_id, change_no),
  constraint impact_batch_change_batch FOREIGN KEY (impact_batch_id) REFERENCES impact_batch(impact_batch_id),
  constraint impact_batch_change_type CHECK ((change_type = ANY (ARRAY['advanced'::text, 'delayed'::text, 'reallocated'::text, 'evidence_added'::text, 'corrected'::text])))
);

CREATE TRIGGER impact_batch_change_is_kept BEFORE DELETE OR UPDATE ON public.impact_batch_change FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER impact_batch_change_is_not_emptied BEFORE TRUNCATE ON public.impact_batch_change FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table impact_batch_settlement (
  partner_id text collate "C" not null,
  settlement_id text collate "C" not null,
  impact_batch_id text collate "C" not null,
  contribution_count bigint not null,
  added_at timestamp(3) with time zone not null,
  constraint impact_batch_settlement_pkey PRIMARY KEY (partner_id, settlement_id),
  constraint impact_batch_settlement_count CHECK ((contribution_count >= 1))
);

CREATE INDEX impact_batch_settlement_of ON public.impact_batch_settlement USING btree (impact_batch_id, partner_id, settlement_id);

CREATE TRIGGER impact_batch_settlement_is_kept BEFORE DELETE OR UPDATE ON public.impact_batch_settlement FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER impact_batch_settlement_is_not_emptied BEFORE TRUNCATE ON public.impact_batch_settlement FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table impact_evidence (
  impact_batch_id text collate "C" not null,
  evidence_no integer not null,
  type text collate "C" not null,
  url text collate "C" not null,
  file_name text not null,
  byte_count bigint not null,
  sha256 text collate "C" not null,
  captured_at timestamp(3) with time zone not null,
  added_by text collate "C" not null,
  added_at timestamp(3) with time zone not null,
  constraint impact_evidence_file UNIQUE (impact_batch_id, sha256),
  constraint impact_evidence_pkey PRIMARY KEY (impact_batch_id, evidence_no),
  constraint impact_evidence_batch FOREIGN KEY (impact_batch_id) REFERENCES impact_batch(impact_batch_id),
  constraint impact_evidence_sha256 CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);

CREATE TRIGGER impact_evidence_is_kept BEFORE DELETE OR UPDATE ON public.impact_evidence FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER impact_evidence_is_not_emptied BEFORE TRUNCATE ON public.impact_evidence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table installation (
  is_only boolean not null default true,
  environment text not null,
  created_at timestamp(3) with time zone not null default now(),
  installation_id text collate "C" not null default ('ins_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text)),
  first_admin_at timestamp(3) with time zone,
  constraint installation_only_one PRIMARY KEY (is_only),
  constraint installation_environment CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint installation_only_one_row CHECK (is_only)
);

create table job (
  job_name text collate "C" not null,
  pattern text collate "C" not null,
  due_at timestamp(3) with time zone not null,
  last_run_no bigint not null default 0,
  lease_until timestamp(3) with time zone,
  failures_in_row integer not null default 0,
  last_success_at timestamp(3) with time zone,
  requested_run_no bigint,
  constraint job_pkey PRIMARY KEY (job_name)
);

create table job_run (
  job_name text collate "C" not null,
  run_no bigint not null,
  trigger text collate "C" not null,
  started_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  outcome text collate "C",
  result_json text,
  error text,
  constraint job_run_pkey PRIMARY KEY (job_name, run_no),
  constraint job_run_ended CHECK (((outcome IS NULL) = (ended_at IS NULL))),
  constraint job_run_outcome CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'stopped'::text, 'abandoned'::text]))),
  constraint job_run_trigger CHECK ((trigger = ANY (ARRAY['schedule'::text, 'hand'::text])))
);

CREATE INDEX job_run_latest ON public.job_run USING btree (started_at, job_name, run_no);

CREATE INDEX job_run_under_way ON public.job_run USING btree (job_name) WHERE (ended_at IS NULL);

create table keyed_answer (
  partner_id text collate "C" not null,
  idempotency_key text collate "C" not null,
  operation text collate "C" not null,
  fingerprint bytea not null,
  claimed_at timestamp(3) with time zone not null,
  answer text,
  work_id text collate "C",
  claim_id text collate "C",
  constraint keyed_answer_pkey PRIMARY KEY (partner_id, idempotency_key, operation),
  constraint keyed_answer_fingerprint_length CHECK ((length(fingerprint) = 32))
);

create table operator (
  operator_id text collate "C" not null,
  name text not null,
  email text,
  role text collate "C" not null,
  created_at timestamp(3) with time zone not null,
  disabled_at timestamp(3) with time zone,
  email_canonical text collate "C",
  constraint operator_pkey PRIMARY KEY (operator_id),
  constraint operator_role CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'approver'::text, 'admin'::text])))
);

CREATE UNIQUE INDEX operator_email_canonical ON public.operator USING btree (email_canonical) WHERE (disabled_at IS NULL);

CREATE TRIGGER operator_is_kept BEFORE DELETE ON public.operator FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER operator_is_not_emptied BEFORE TRUNCATE ON public.operator FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table operator_credential (
  credential_id text collate "C" not null,
  operator_id text collate "C" not null,
  kind text collate "C" not null,
  secret_sha256 bytea not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  verifier text,
  attempts integer not null default 0,
  attempted_at timestamp(3) with time zone,
  last_step bigint,
  counter bigint,
  constraint operator_credential_pkey PRIMARY KEY (credential_id),
  constraint operator_credential_operator FOREIGN KEY (operator_id) REFERENCES operator(operator_id),
  constraint operator_credential_hash CHECK ((length(secret_sha256) = 32)),
  constraint operator_credential_kind CHECK ((kind = ANY (ARRAY['code'::text, 'token'::text, 'session'::text, 'password'::text, 'totp'::text, 'passkey'::text]))),
  constraint operator_credential_verifier CHECK (((verifier IS NOT NULL) = (kind = ANY (ARRAY['password'::text, 'totp'::text, 'passkey'::text]))))
);

CREATE INDEX operator_credential_of ON public.operator_credential USING btree (operator_id);

CREATE TRIGGER operator_credential_is_kept BEFORE DELETE ON public.operator_credential FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER operator_credential_is_not_emptied BEFORE TRUNCATE ON public.operator_credential FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table partner (
  partner_id text collate "C" not null,
  name text not null,
  writes_per_second integer not null,
  lookups_per_second integer not null,
  reports_per_second integer not null,
  created_at timestamp(3) with time zone not null default now(),
  suspended_at timestamp(3) with time zone,
  currency text,
  time_zone text not null default 'Asia/Riyadh'::text,
  constraint partner_pkey PRIMARY KEY (partner_id),
  constraint partner_currency CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint partner_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint partner_rates CHECK (((writes_per_second > 0) AND (lookups_per_second > 0) AND (reports_per_second > 0)))
);

CREATE INDEX partner_named ON public.partner USING btree (lower(name), partner_id);

CREATE TRIGGER partner_is_kept BEFORE DELETE ON public.partner FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER partner_is_not_emptied BEFORE TRUNCATE ON public.partner FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER partner_terms_are_fixed BEFORE UPDATE OF currency, time_zone ON public.partner FOR EACH ROW WHEN ((((old.currency IS NOT NULL) AND (new.currency IS DISTINCT FROM old.currency)) OR (new.time_zone <> old.time_zone))) EXECUTE FUNCTION guard_partner_terms();

create table partner_quota (
  partner_id text collate "C" not null,
  bytes_per_day bigint not null,
  lists_per_day integer not null,
  constraint partner_quota_pkey PRIMARY KEY (partner_id),
  constraint partner_quota_of_partner FOREIGN KEY (partner_id) REFERENCES partner(partner_id),
  constraint partner_quota_positive CHECK (((bytes_per_day > 0) AND (lists_per_day > 0)))
);

create table project (
  project_id text collate "C" not null,
  name_en text not null,
  name_ar text not null,
  country text collate "C" not null,
  created_at timestamp(3) with time zone not null,
  constraint project_pkey PRIMARY KEY (project_id),
  constraint project_country CHECK ((country ~ '^[A-Z]{2}$'::text))
);

CREATE TRIGGER project_is_kept BEFORE DELETE OR UPDATE ON public.project FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER project_is_not_emptied BEFORE TRUNCATE ON public.project FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table reconciliation (
  partner_id text collate "C" not null,
  reconciliation_id text collate "C" not null,
  settlement_id text collate "C" not null,
  idempotency_key text collate "C",
  fingerprint bytea,
  format text collate "C" not null,
  status text collate "C" not null,
  problem text,
  listed_lines bigint not null default 0,
  counts text not null default '{}'::text,
  compared_through integer not null default 0,
  lease_until timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  lines_removed_at timestamp(3) with time zone,
  is_statement boolean not null default false,
  uploaded_by text collate "C",
  constraint reconciliation_idempotency_key UNIQUE (partner_id, idempotency_key),
  constraint reconciliation_pkey PRIMARY KEY (partner_id, reconciliation_id),
  constraint reconciliation_has_key CHECK (((idempotency_key IS NOT NULL) OR (status = 'failed'::text))),
  constraint reconciliation_status CHECK ((((status = ANY (ARRAY['receiving'::text, 'comparing'::text])) AND (ended_at IS NULL)) OR ((status = 'done'::text) AND (ended_at IS NOT NULL)) OR ((status = 'failed'::text) AND (ended_at IS NOT NULL) AND (problem IS NOT NULL))))
);

CREATE INDEX reconciliation_latest ON public.reconciliation USING btree (reconciliation_id);

CREATE INDEX reconciliation_of_settlement ON public.reconciliation USING btree (partner_id, settlement_id, reconciliation_id);

CREATE INDEX reconciliation_with_lines ON public.reconciliation USING btree (partner_id, reconciliation_id) WHERE ((ended_at IS NOT NULL) AND (lines_removed_at IS NULL));

CREATE UNIQUE INDEX reconciliation_one_at_a_time ON public.reconciliation USING btree (partner_id, ((uploaded_by IS NULL))) WHERE (status = ANY (ARRAY['receiving'::text, 'comparing'::text]));

create table reconciliation_line (
  partner_id text collate "C" not null,
  reconciliation_id text collate "C" not null,
  position bigint not null,
  verdict text collate "C" not null,
  partner_event_id text collate "C",
  partner_order_ref text collate "C",
  points bigint,
  transaction_id text collate "C",
  recorded_order_ref text collate "C",
  recorded_points bigint,
  recorded_settlement_id text collate "C",
  problems text,
  line_type text collate "C",
  adjustment_id text collate "C",
  matched_points text collate "C",
  recorded_net_points bigint,
  points_beyond_int64 numeric,
  recorded_points_beyond_int64 numeric,
  constraint reconciliation_line_pkey PRIMARY KEY (partner_id, reconciliation_id, "position")
);

CREATE INDEX reconciliation_line_event ON public.reconciliation_line USING btree (partner_id, reconciliation_id, partner_event_id, "position");

CREATE INDEX reconciliation_line_verdict ON public.reconciliation_line USING btree (partner_id, reconciliation_id, verdict, "position");

create table rule_revision (
  only_row boolean not null default true,
  revision bigint not null,
  constraint rule_revision_pkey PRIMARY KEY (only_row),
  constraint rule_revision_single CHECK (only_row)
);

create table rule_version (
  kind text collate "C" not null,
  version text collate "C" not null,
  partner_id text collate "C",
  starts_at timestamp(3) with time zone not null,
  points_min bigint,
  points_max bigint,
  reviews_everything boolean,
  review_threshold bigint,
  daily_points_cap bigint,
  daily_count_cap bigint,
  point_value numeric,
  tree_cost numeric,
  currency text collate "C",
  created_at timestamp(3) with time zone not null,
  withdrawn_at timestamp(3) with time zone,
  constraint rule_version_pkey PRIMARY KEY (kind, version),
  constraint rule_version_of_partner FOREIGN KEY (partner_id) REFERENCES partner(partner_id),
  constraint rule_version_bounds CHECK (
CASE
    WHEN (kind = 'contribution_rule'::text) THEN ((points_min >= 1) AND (points_max >= points_min) AND (reviews_everything IS NOT NULL) AND COALESCE((review_threshold >= 1), true) AND COALESCE((daily_points_cap >= 1), true) AND COALESCE((daily_count_cap >= 1), true))
    ELSE (num_nonnulls(points_min, points_max, reviews_everything, review_threshold, daily_points_cap, daily_count_cap) = 0)
END),
  constraint rule_version_kind CHECK ((kind = ANY (ARRAY['contribution_rule'::text, 'point_conversion'::text, 'tree_cost'::text]))),
  constraint rule_version_price CHECK ((((point_value IS NULL) OR ((kind = 'point_conversion'::text) AND (point_value > (0)::numeric) AND (point_value < '1000000000000'::numeric) AND (scale(point_value) <= 12))) AND ((tree_cost IS NULL) OR ((kind = 'tree_cost'::text) AND (tree_cost > (0)::numeric) AND (tree_cost < '1000000000000'::numeric) AND (scale(tree_cost) <= 12))) AND ((currency IS NOT NULL) = (num_nonnulls(point_value, tree_cost) = 1))))
);

CREATE UNIQUE INDEX rule_version_start ON public.rule_version USING btree (kind, COALESCE(partner_id, ''::text), starts_at) WHERE (withdrawn_at IS NULL);

CREATE TRIGGER rule_version_is_immutable BEFORE DELETE OR UPDATE ON public.rule_version FOR EACH ROW EXECUTE FUNCTION guard_rule_version();

CREATE TRIGGER rule_version_is_not_emptied BEFORE TRUNCATE ON public.rule_version FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table sample_data (
  is_only boolean not null default true,
  status text not null,
  ends_at timestamp(3) with time zone not null,
  partner_ids text[] collate "C" not null default '{}'::text[],
  operator_ids text[] collate "C" not null default '{}'::text[],
  constraint sample_data_only_one PRIMARY KEY (is_only),
  constraint sample_data_is_only CHECK (is_only),
  constraint sample_data_status CHECK ((status = ANY (ARRAY['making'::text, 'made'::text, 'stopped'::text, 'removed'::text])))
);

create table sandbox_clock (
  partner_id text collate "C" not null,
  ahead_ms bigint not null,
  advanced_at timestamp(3) with time zone not null,
  advanced_under text collate "C",
  constraint sandbox_clock_pkey PRIMARY KEY (partner_id)
);

create table sandbox_due (
  partner_id text collate "C" not null,
  transaction_id text collate "C" not null,
  outcome text collate "C" not null,
  due_at timestamp(3) with time zone not null,
  constraint sandbox_due_pkey PRIMARY KEY (partner_id, transaction_id),
  constraint sandbox_due_outcome CHECK ((outcome = ANY (ARRAY['confirmed'::text, 'failed'::text])))
);

create table sandbox_evidence (
  partner_id text collate "C" not null,
  item text collate "C" not null,
  correlation_id text collate "C" not null,
  subject_id text collate "C",
  seen_at timestamp(3) with time zone not null,
  constraint sandbox_evidence_pkey PRIMARY KEY (partner_id, item)
);

create table sandbox_rehearsal (
  partner_id text collate "C" not null,
  idempotency_key text collate "C" not null,
  operation text collate "C" not null,
  scenario text collate "C" not null,
  refusals bigint not null default 0,
  correlation_id text collate "C" not null,
  first_at timestamp(3) with time zone not null,
  last_at timestamp(3) with time zone not null,
  subject_id text collate "C",
  looked_up_at timestamp(3) with time zone,
  looked_up_by text collate "C",
  constraint sandbox_rehearsal_pkey PRIMARY KEY (partner_id, idempotency_key, operation, scenario)
);

CREATE INDEX sandbox_rehearsal_first ON public.sandbox_rehearsal USING btree (partner_id, first_at);

CREATE INDEX sandbox_rehearsal_looked_up ON public.sandbox_rehearsal USING btree (partner_id, first_at) WHERE (looked_up_at IS NOT NULL);

CREATE INDEX sandbox_rehearsal_of_subject ON public.sandbox_rehearsal USING btree (partner_id, subject_id) WHERE (looked_up_at IS NULL);

CREATE INDEX sandbox_rehearsal_refused ON public.sandbox_rehearsal USING btree (partner_id, "substring"(scenario, '^[a-z_]+'::text), first_at) WHERE ((operation = 'confirmContribution'::text) AND (refusals > 0));

create table settlement (
  partner_id text collate "C" not null,
  settlement_id text collate "C" not null,
  sequence bigint not null,
  status text collate "C" not null,
  period_start timestamp(3) with time zone not null,
  period_end timestamp(3) with time zone not null,
  period_timezone text collate "C" not null,
  period_label text collate "C" not null,
  follows_event bigint not null,
  created_at timestamp(3) with time zone not null,
  closed_at timestamp(3) with time zone,
  contribution_count bigint,
  adjustment_count bigint,
  gross_points numeric,
  adjustment_points numeric,
  carried_points numeric,
  net_points numeric,
  exact_amount numeric(60,12),
  currency text collate "C",
  totals_by_version text,
  csv_sha256 text collate "C",
  csv_bytes bigint,
  line_count integer,
  previous_csv_sha256 text collate "C",
  chain_sha256 text collate "C",
  seal text collate "C",
  constraint settlement_period_label UNIQUE (partner_id, period_label),
  constraint settlement_sequence UNIQUE (partner_id, sequence),
  constraint settlement_pkey PRIMARY KEY (partner_id, settlement_id),
  constraint settlement_numbers CHECK (((sequence >= 1) AND (period_start < period_end))),
  constraint settlement_status CHECK ((((status = 'open'::text) AND (closed_at IS NULL) AND (csv_sha256 IS NULL)) OR ((status = 'closed'::text) AND (closed_at IS NOT NULL) AND (contribution_count IS NOT NULL) AND (adjustment_count IS NOT NULL) AND (gross_points IS NOT NULL) AND (adjustment_points IS NOT NULL) AND (carried_points IS NOT NULL) AND (net_points IS NOT NULL) AND (totals_by_version IS NOT NULL) AND (csv_sha256 IS NOT NULL) AND (csv_bytes IS NOT NULL) AND (line_count IS NOT NULL) AND (chain_sha256 IS NOT NULL) AND (seal IS NOT NULL))))
);

CREATE INDEX settlement_closed ON public.settlement USING btree (closed_at, settlement_id) WHERE (status = 'closed'::text);

CREATE INDEX settlement_closed_month ON public.settlement USING btree ("left"(period_label, 7), closed_at, settlement_id) WHERE (status = 'closed'::text);

CREATE INDEX settlement_closed_payable ON public.settlement USING btree (currency, COALESCE(exact_amount, (0)::numeric), settlement_id) WHERE ((status = 'closed'::text) AND ((exact_amount IS NOT NULL) OR (((contribution_count + adjustment_count) = 0) AND (carried_points = (0)::numeric))));

CREATE INDEX settlement_closed_points ON public.settlement USING btree (((gross_points + adjustment_points)), settlement_id) WHERE (status = 'closed'::text);

CREATE UNIQUE INDEX settlement_one_open ON public.settlement USING btree (partner_id) WHERE (status = 'open'::text);

CREATE TRIGGER settlement_is_kept BEFORE DELETE ON public.settlement FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_is_not_emptied BEFORE TRUNCATE ON public.settlement FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_transition BEFORE UPDATE ON public.settlement FOR EACH ROW EXECUTE FUNCTION guard_settlement();

create table settlement_acknowledgement (
  partner_id text collate "C" not null,
  settlement_id text collate "C" not null,
  status text collate "C" not null,
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  reference text collate "C",
  note text,
  acknowledged_at timestamp(3) with time zone not null,
  constraint settlement_acknowledgement_key UNIQUE (partner_id, idempotency_key),
  constraint settlement_acknowledgement_pkey PRIMARY KEY (partner_id, settlement_id, status),
  constraint settlement_acknowledgement_fingerprint_length CHECK ((length(fingerprint) = 32)),
  constraint settlement_acknowledgement_status CHECK ((status = ANY (ARRAY['accepted'::text, 'disputed'::text])))
);

CREATE INDEX settlement_disputed ON public.settlement_acknowledgement USING btree (acknowledged_at, settlement_id) WHERE (status = 'disputed'::text);

CREATE TRIGGER settlement_acknowledgement_is_immutable BEFORE DELETE OR UPDATE ON public.settlement_acknowledgement FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_acknowledgement_is_not_emptied BEFORE TRUNCATE ON public.settlement_acknowledgement FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table settlement_candidate (
  partner_id text collate "C" not null,
  transaction_id text collate "C" not null,
  sequence bigint,
  constraint settlement_candidate_pkey PRIMARY KEY (partner_id, transaction_id)
);

create table settlement_line (
  partner_id text collate "C" not null,
  settlement_id text collate "C" not null,
  line_no integer not null,
  line_type text collate "C" not null,
  transaction_id text collate "C",
  adjustment_id text collate "C",
  partner_event_id text collate "C",
  partner_order_ref text collate "C",
  points bigint,
  amount numeric(60,12),
  currency text collate "C",
  confirmed_at timestamp(3) with time zone,
  posted_at timestamp(3) with time zone,
  contribution_rule_version text collate "C",
  point_conversion_version text collate "C",
  tree_cost_version text collate "C",
  calculation_id text collate "C",
  association_status text collate "C",
  reason_code text collate "C",
  original_settlement_id text collate "C",
  points_beyond_int64 numeric,
  constraint settlement_line_pkey PRIMARY KEY (partner_id, settlement_id, line_no),
  constraint settlement_line_amount CHECK (((amount IS NULL) = (currency IS NULL))),
  constraint settlement_line_points CHECK ((((points IS NULL) <> (points_beyond_int64 IS NULL)) AND ((points_beyond_int64 IS NULL) OR (line_type = 'carried_forward'::text)))),
  constraint settlement_line_type CHECK ((line_type = ANY (ARRAY['contribution'::text, 'adjustment'::text, 'carried_forward'::text])))
);

CREATE INDEX settlement_line_other ON public.settlement_line USING btree (partner_id, settlement_id, line_no) WHERE (line_type <> 'contribution'::text);

CREATE UNIQUE INDEX settlement_line_adjustment ON public.settlement_line USING btree (partner_id, adjustment_id) WHERE (line_type = 'adjustment'::text);

CREATE UNIQUE INDEX settlement_line_contribution ON public.settlement_line USING btree (partner_id, transaction_id) WHERE (line_type = 'contribution'::text);

CREATE TRIGGER settlement_line_is_immutable BEFORE DELETE OR UPDATE ON public.settlement_line FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_line_is_not_emptied BEFORE TRUNCATE ON public.settlement_line FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table settlement_line_proof (
  partner_id text collate "C" not null,
  settlement_id text collate "C" not null,
  first_line_no integer not null,
  proofs bytea not null,
  constraint settlement_line_proof_pkey PRIMARY KEY (partner_id, settlement_id, first_line_no)
);

CREATE TRIGGER settlement_line_proof_is_immutable BEFORE DELETE OR UPDATE ON public.settlement_line_proof FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_line_proof_is_not_emptied BEFORE TRUNCATE ON public.settlement_line_proof FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table webhook_endpoint (
  partner_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  url text not null,
  event_types text[] not null default '{}'::text[],
  status text collate "C" not null,
  status_reason text collate "C",
  created_at timestamp(3) with time zone not null,
  changed_at timestamp(3) with time zone not null,
  secret_sealed text not null,
  next_secret_sealed text,
  next_secret_from timestamp(3) with time zone,
  constraint webhook_endpoint_pkey PRIMARY KEY (partner_id, endpoint_id),
  constraint webhook_endpoint_rotation CHECK (((next_secret_sealed IS NULL) = (next_secret_from IS NULL))),
  constraint webhook_endpoint_status CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'removed'::text])))
);

CREATE INDEX webhook_endpoint_by_id ON public.webhook_endpoint USING btree (endpoint_id) WHERE (status <> ''::text);

CREATE INDEX webhook_endpoint_disabled ON public.webhook_endpoint USING btree (endpoint_id) WHERE (status = 'disabled'::text);

CREATE INDEX webhook_endpoint_latest ON public.webhook_endpoint USING btree (endpoint_id) WHERE (status <> 'removed'::text);

CREATE TRIGGER webhook_endpoint_is_kept BEFORE DELETE ON public.webhook_endpoint FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER webhook_endpoint_is_not_emptied BEFORE TRUNCATE ON public.webhook_endpoint FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE FUNCTION public.guard_adjustment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (old.status, new.status) not in (
    ('draft', 'approved'), ('draft', 'rejected'), ('approved', 'posted'), ('approved', 'rejected'), ('posted', 'posted')
  ) then
    raise exception 'an adjustment does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if old.status = 'posted' and (old.settlement_id is not null or new.settlement_id is null
     or (to_jsonb(new) - 'settlement_id') <> (to_jsonb(old) - 'settlement_id')) then
    raise exception 'an adjustment that is posted is put on one settlement, and is never changed' using errcode = 'restrict_violation';
  end if;
  if old.status = 'approved' and new.status = 'posted' and new.amount_delta is not null and new.settled_amount_after is null then
    raise exception 'an adjustment of an amount is posted with the settled amount' using errcode = 'restrict_violation';
  end if;
  if (to_jsonb(new) - '{status,approved_by,approved_at,rejected_by,rejected_at,note,posted_by,posted_at,settled_points_before,settled_points_after,settled_amount_before,settled_amount_after,settled_amount_max,original_settlement_id,settlement_id}'::text[])
     <> (to_jsonb(old) - '{status,approved_by,approved_at,rejected_by,rejected_at,note,posted_by,posted_at,settled_points_before,settled_points_after,settled_amount_before,settled_amount_after,settled_amount_max,original_settlement_id,settlement_id}'::text[])
     or (old.approved_by is not null and (new.approved_by, new.approved_at) is distinct from (old.approved_by, old.approved_at)) then
    raise exception 'an adjustment keeps what was drafted and approved' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.guard_audit_head()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the end of the audit goes on by one entry at a time, not from % to %', old.last_no, new.last_no
    using errcode = 'restrict_violation';
end $function$
;

CREATE OR REPLACE FUNCTION public.guard_contribution()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    if new.first_status = 'failed' and new.failure_drafted_by <> new.failure_approved_by then
      return new;
    end if;
    raise exception 'a contribution is recorded as failed by two operators only' using errcode = 'restrict_violation';
  end if;
  -- A seal may be set by itself: it says what the row says, and only a key outside the database makes it.
  if new.status = old.status
     and (to_jsonb(new) - '{seal,seal_key}'::text[]) = (to_jsonb(old) - '{seal,seal_key}'::text[]) then
    return new;
  end if;
  if old.status <> 'pending' or new.status not in ('confirmed', 'failed') then
    raise exception 'a contribution does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if (new.partner_id, new.transaction_id, new.idempotency_key, new.fingerprint, new.partner_event_id, new.partner_order_ref,
      new.points, new.opaque_customer_ref, new.first_status, new.contribution_rule_version, new.point_conversion_version, new.tree_cost_version,
      new.summary_en, new.summary_ar, new.calculation_id, new.correlation_id, new.created_at, new.failure_drafted_by, new.failure_approved_by)
     is distinct from
     (old.partner_id, old.transaction_id, old.idempotency_key, old.fingerprint, old.partner_event_id, old.partner_order_ref,
      old.points, old.opaque_customer_ref, old.first_status, old.contribution_rule_version, old.point_conversion_version, old.tree_cost_version,
      old.summary_en, old.summary_ar, old.calculation_id, old.correlation_id, old.created_at, old.failure_drafted_by, old.failure_approved_by) then
    raise exception 'only the outcome of a pending contribution may change' using errcode = 'restrict_violation';
  end if;
  -- A process of the release before ends a contribution without a new seal: the old one would say that the row was edited.
  if new.seal = old.seal then
    new.seal := null;
    new.seal_key := null;
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.guard_impact_batch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.status <> old.status and (old.status, new.status) not in (
    ('recorded', 'allocated'), ('allocated', 'funded'), ('funded', 'in_progress'), ('in_progress', 'delivered'), ('delivered', 'verified'),
    ('funded', 'allocated'), ('in_progress', 'allocated')
  ) then
    raise exception 'an impact batch does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if new.status = 'verified' and not exists (select from impact_evidence where impact_batch_id = new.impact_batch_id) then
    raise exception 'an impact batch is not verified without evidence' using errcode = 'restrict_violation';
  end if;
  if (new.impact_batch_id, new.name, new.created_at) is distinct from (old.impact_batch_id, old.name, old.created_at)
     or new.change_no <> old.change_no + 1
     or (old.status in ('delivered', 'verified') and new.delivered_by is distinct from old.delivered_by)
     or (old.status = 'verified' and (new.verified_by, new.project_id) is distinct from (old.verified_by, old.project_id)) then
    raise exception 'an impact batch keeps what it was made with, and who delivered and verified it' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.guard_partner_terms()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select 1 from contribution where partner_id = old.partner_id)
     or exists (select 1 from rule_version where partner_id = old.partner_id and currency is not null) then
    raise exception 'currency and time zone of a partner are fixed once something rests on them' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.guard_rule_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    raise exception 'a version of a rule is kept for good' using errcode = 'restrict_violation';
  end if;
  if old.withdrawn_at is not null or new.withdrawn_at is null or old.starts_at < now() + interval '1 minute'
     or (to_jsonb(new) - 'withdrawn_at') <> (to_jsonb(old) - 'withdrawn_at') then
    raise exception 'a version of a rule changes only by being withdrawn, a minute before its start or earlier'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.guard_settlement()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status <> 'open' or new.status <> 'closed' then
    raise exception 'a settlement does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if (new.partner_id, new.settlement_id, new.sequence, new.period_start, new.period_timezone, new.period_label, new.follows_event, new.created_at)
     is distinct from
     (old.partner_id, old.settlement_id, old.sequence, old.period_start, old.period_timezone, old.period_label, old.follows_event, old.created_at)
     or new.period_end > old.period_end then
    raise exception 'a settlement that is closed keeps what it was opened with' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is not allowed on %: its rows are kept for good', lower(tg_op), tg_table_name
    using errcode = 'restrict_violation';
end $function$
;
