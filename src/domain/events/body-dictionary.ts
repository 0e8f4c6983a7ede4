/**
 * What the bodies of most events have in common, in their order: those of confirmations, with a link and without. A stored body cannot be
 * read without exactly these bytes, so they never change; a better dictionary is another one, with a number of its own.
 */
export const BODY_DICTIONARY_1 = Buffer.from(
  [
    '{"event_id":"evt_01","event_type":"impact.transaction.adjusted","data":{"change":"associated","change":"failed","point_restoration_authorized":true,',
    '{"event_id":"evt_01","event_type":"impact.transaction.confirmed","api_version":"v1","environment":"production"',
    ',"environment":"sandbox","sequence":1,"occurred_at":"2026-12-',
    '01T10:00:00.000Z","correlation_id":"corr_01","data":{"contribution":{"transaction_id":"txn_01',
    '","partner_event_id":"evt-","partner_order_ref":"order-","status":"confirmed","points":100,"opaque_customer_ref":"customer-',
    '","contribution_rule_version":"rule_","point_conversion_version":null,"tree_cost_version":null,"expected_environmental_support":',
    '{"summary_en":"This contribution of 100 points is expected to cover part of the cost of planting one tree.',
    ' support planting about 1 trees. support tree planting.","summary_ar":"',
    'يُتوقَّع أن تغطي جزءًا من تكلفة زراعة شجرة واحدة أشجار تقريبًا.يُتوقَّع أن تدعم هذه المساهمة، وقدرها 100 نقطة، زراعة الأشجار."}',
    ',"non_refundable":true,"environment":"production","environment":"sandbox","created_at":"2026-12-01T10:00:00.000Z","confirmed_at":"2026-12-',
    '01T10:00:00.000Z","failed_at":null},"association":{"status":"associated","link":{"association_id":"assoc_01","transaction_id":"txn_01',
    '","calculation_id":"calc_01","partner_order_ref":"order-","estimated_emissions_kgco2e":"0.","estimated_emissions_unit":"kgco2e"',
    ',"distance_km":"1.","distance_unit":"km","vehicle_category":"motorcycle_gasoline","methodology_version":"',
    '","emission_factor_version":"","calculated_at":"2026-12-01T10:00:00.000Z","associated_at":"2026-12-01T10:00:00.000Z","environment":"sandbox","immutable":true}}}',
    '"association":{"status":"not_requested"}}}',
  ].join(''),
);
