/** What partners' programs rely on in the OpenAPI document, a line for each promise: as long as none is lost, `/v1` has only been added to. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
  /** A list at the same path, for another query. */
  readonly 'x-list'?: Operation;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Paths;
  readonly webhooks: Paths;
}

/** Lists that a program may take as complete: a new value is a break, as the loss of one is. */
const CLOSED = ['Contribution.status', 'Association.status'];

/** Every promise of the document, sorted. */
export function listPromises({ components, paths, webhooks }: Document): string[] {
  const operations = [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => ofOperation(`${method.toUpperCase()} ${path}`, operation)),
  );
  const shapes = Object.entries(components.schemas).flatMap(([name, schema]) => ofAnswer(name, schema));
  return [...new Set([...operations, ...shapes])].sort();
}

function ofOperation(where: string, operation: Operation): string[] {
  const { parameters = [], requestBody, responses = {}, 'x-list': list } = operation;
  const inputs = parameters.flatMap((parameter) => {
    const name = `${where} ${parameter.in} ${parameter.name}`;
    return [
      `${name} is taken`,
      ...(parameter.required ? [] : [`${name} may be left out`]),
      ...ofInput(name, parameter.schema ?? {}),
    ];
  });
  const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema = {} }]) => [
    `${where} takes ${type}`,
    ...ofInput(`${where} body`, schema),
  ]);
  const answers = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).flatMap(([type, { schema = {} }]) => [
      `${where} answers ${status} ${type}`,
      // Every error has one shape, a component.
      ...(status < '3' ? ofAnswer(`${where} ${status}`, schema) : []),
    ]),
  );
  return [where, ...inputs, ...bodies, ...answers, ...(list ? ofOperation(`${where} as a list`, list) : [])];
}

/** What a program may send: a value that is no longer taken, or a field that must no longer be left out, is lost. */
function ofInput(where: string, { type, enum: values = [], required = [], properties = {}, items }: Schema): string[] {
  return [
    ...typesOf(type).map((each) => `${where} takes a ${each}`),
    ...values.map((value) => `${where} takes ${JSON.stringify(value)}`),
    ...Object.entries(properties).flatMap(([name, schema]) => {
      const member = `${where}.${name}`;
      return [
        `${member} is taken`,
        ...(required.includes(name) ? [] : [`${member} may be left out`]),
        ...ofInput(member, schema),
      ];
    }),
    ...(items ? ofInput(`${where}[]`, items) : []),
  ];
}

/** What a program may read: a member that goes, or is not always there any more, and a type that is another one. */
function ofAnswer(where: string, schema: Schema): string[] {
  const { $ref, type, const: value, enum: values, required = [], properties = {}, items, anyOf = [], oneOf = [] } = schema;
  if ($ref !== undefined) return [`${where} is a ${$ref.split('/').at(-1)}`];
  return [
    ...(type === undefined ? [] : [`${where} is ${typesOf(type).join(' or ')}`]),
    ...(value === undefined ? [] : [`${where} is ${JSON.stringify(value)}`]),
    ...(values && CLOSED.includes(where) ? [`${where} is one of ${JSON.stringify(values)}`] : []),
    ...Object.entries(properties).flatMap(([name, member]) => [
      `${where}.${name} is known`,
      ...(required.includes(name) ? [`${where}.${name} is always there`] : []),
      ...ofAnswer(`${where}.${name}`, member),
    ]),
    ...(items ? ofAnswer(`${where}[]`, items) : []),
    ...[...anyOf, ...oneOf].flatMap((each, index) => ofAnswer(`${where}|${index}`, each)),
  ];
}

function typesOf(type: Schema['type']): readonly string[] {
  return type === undefined ? [] : typeof type === 'string' ? [type] : [...type].sort();
}
