/** The types of the SDK, made from the OpenAPI document: names in camelCase, every integer a `bigint`, decimals and times as text. */

/** What this renderer reads of a schema of JSON Schema 2020-12. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly deprecated?: boolean;
  readonly content?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>>;
}

export interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Components of the document that are in the public types, in this order. */
const COMPONENTS = ['Link', 'Rejection', 'Estimate', 'EmissionFactors', 'Calculation', 'Settlement', 'Contribution'] as const;

/** Shapes that stand inside an answer: the operation, the status, the members that lead to it. */
const INLINE: Readonly<Record<string, readonly [operation: string, status: string, ...members: string[]]>> = {
  SettlementLine: ['listSettlementLines', '200', 'lines'],
  SettlementAcknowledgement: ['acknowledgeSettlement', '201', 'acknowledgement'],
  Reconciliation: ['getReconciliation', '200', 'reconciliation'],
  ReconciliationLine: ['listReconciliationLines', '200', 'lines'],
  EnvironmentalStatus: ['getEnvironmentalStatus', '200', 'environmental_status'],
};

/** Shapes that stand inside an event: the component, the place among its alternatives. */
const EVENT_DATA: Readonly<Record<string, readonly [component: string, alternative?: number]>> = {
  ContributionAdjustment: ['ImpactTransactionAdjusted', 2],
  EnvironmentalStatusChange: ['EnvironmentalStatusUpdated'],
};

/**
 * Members that say whether a contribution is confirmed, pending or failed. Only the outcome and the type of an event say so, so that no
 * program can decide by one of these. `decode.ts` of the SDK removes the same members.
 */
const STATUS_MEMBERS = ['contribution_status', 'non_refundable', 'point_restoration_authorized'];
const STATUS_MEMBERS_OF: Readonly<Record<string, readonly string[]>> = {
  Contribution: ['status'],
  ContributionAdjustment: ['sample'],
  EnvironmentalStatusChange: ['sample'],
};

/** Whole values that this module leaves to types written by hand. */
const BY_HAND: Readonly<Record<string, string>> = { Association: 'Association' };

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
}

export function renderSdkTypes(document: Document): string {
  const shapes = [
    ...COMPONENTS.map((name) => [name, document.components.schemas[name]] as const),
    ...Object.entries(INLINE).map(([name, place]) => [name, findInline(document, place)] as const),
    ...Object.entries(EVENT_DATA).map(([name, place]) => [name, findEventData(document, place)] as const),
  ];
  return [
    '// Written by `npm run sdk:types` from openapi/partner.json. A test fails when it is stale.\n',
    ...shapes.map(([name, schema]) => {
      if (!schema) throw new Error(`The document has no ${name}.`);
      return `\n${comment(schema, '')}export interface ${name} ${renderObject(schema, '', name)}\n`;
    }),
  ].join('');
}

function findInline({ paths }: Document, [operationId, status, ...members]: readonly string[]): Schema | undefined {
  const operation = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find((each) => each.operationId === operationId);
  let schema = operation?.responses[status ?? '']?.content?.['application/json']?.schema;
  for (const member of members) schema = schema?.properties?.[member];
  return schema?.items ?? schema;
}

function findEventData({ components }: Document, [component, alternative]: readonly [string, number?]): Schema | undefined {
  const data = components.schemas[component]?.properties?.['data'];
  return alternative === undefined ? data : data?.oneOf?.[alternative];
}

function renderObject({ properties = {}, required = [] }: Schema, indent: string, name?: string): string {
  const omitted = [...STATUS_MEMBERS, ...((name && STATUS_MEMBERS_OF[name]) || [])];
  const members = Object.entries(properties)
    .filter(([member, { deprecated }]) => !omitted.includes(member) && !deprecated)
    .map(([member, schema]) => {
      const mark = required.includes(member) ? '' : '?';
      const type = renderType(schema, `${indent}  `);
      return `${comment(schema, `${indent}  `)}${indent}  readonly ${camelCase(member)}${mark}: ${type};\n`;
    });
  return `{\n${members.join('')}${indent}}`;
}

function renderType(schema: Schema, indent: string): string {
  if (schema.$ref) return referenced(schema.$ref);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.map((each) => renderType(each, indent)).join(' | ');
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  return (typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []))
    .map((type) => renderSimple(type, schema, indent))
    .join(' | ');
}

function renderSimple(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
      return 'bigint';
    case 'array': {
      const item = renderType(schema.items ?? {}, indent);
      return item.includes(' | ') ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case 'object':
      return renderObject(schema, indent);
    // A number with a fraction would lose digits: the interface writes decimals as text.
    default:
      throw new Error(`The SDK has no exact type for ${type}.`);
  }
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function referenced(reference: string): string {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  const isKnown = name in BY_HAND || (COMPONENTS as readonly string[]).includes(name);
  if (!isKnown) throw new Error(`The SDK has no type ${name}.`);
  return BY_HAND[name] ?? name;
}

function comment({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '* /').replace(/\s*\n\s*/g, ' ')} */\n`;
}
