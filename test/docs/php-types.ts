import { formsOf, type Json, propertiesOf, requiredOf } from './client-operations.ts';

// Schemas of the contract as PHP writes them: types of doc comments, descriptions of fields, and literal values.

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A value as PHP code, on several lines if it is long. */
export function literal(value: unknown, indent = '', width = 76): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Array.isArray(value)
    ? value.map((one) => literal(one, `${indent}    `))
    : Object.entries(value).map(([key, one]) => `'${key}' => ${literal(one, `${indent}    `)}`);
  const inline = `[${entries.join(', ')}]`;
  if (indent.length + inline.length <= width && !inline.includes('\n')) return inline;
  return `[\n${entries.map((entry) => `${indent}    ${entry},\n`).join('')}${indent}]`;
}

/** The lines of a text, no wider than `width` columns. Indents all but the first. */
export function wrapped(text: string, width = 108, indent = ''): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) as string;
    if (last.trim() === '') lines[lines.length - 1] = last + word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(indent + word);
  }
  return lines;
}

const scalars: Record<string, string> = { integer: 'int', boolean: 'bool', number: 'float' };
/** Too many values for a type: the description lists them. */
const isLong = (values: unknown[]): boolean => values.join().length > 80;
const union = (types: string[]): string => [...new Set(types)].join('|');

/** The type of a schema as PHPStan and PhpStorm read it; a long array shape has several lines. */
export function typeOf(schema: Json, indent = ''): string {
  const { const: constant, enum: all, 'x-only': values = all, type, 'x-items': ofItems, items } = schema;
  if (constant !== undefined) return literal(constant);
  if (Array.isArray(values)) return isLong(values) ? 'string' : union(values.map((value) => literal(value)));
  const forms = formsOf(schema);
  if (forms[0] !== schema) return union(forms.map((form) => typeOf(form, indent)));
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ type: one })));
  if (type === 'array') return `list<${typeOf((ofItems ?? items) as Json, indent)}>`;
  if (type === 'object') return shapeOf(schema, indent);
  return scalars[String(type)] ?? String(type);
}

function shapeOf(schema: Json, indent: string): string {
  if (schema.additionalProperties !== false) return 'array<string, int>';
  const fields = Object.entries(propertiesOf(schema)).map(([field, of]) => {
    const mark = requiredOf(schema).includes(field) ? '' : '?';
    return `${field}${mark}: ${typeOf(of, `${indent}    `)}`;
  });
  // A form of several has its own lines.
  if (schema.title !== undefined) return linesOf(fields, indent);
  const inline = `array{${fields.join(', ')}}`;
  if (indent.length + inline.length <= 76 && !inline.includes('\n')) return inline;
  return linesOf(fields, indent);
}

const linesOf = (fields: string[], indent: string): string =>
  `array{\n${fields.map((field) => `${indent}    ${field},\n`).join('')}${indent}}`;

const count = (value: unknown): string => Number(value).toLocaleString('en-US');

/** The range of a value, if its description does not have it. */
function rangeOf(schema: Json, description: string): string {
  const { minimum, maximum, minItems, maxItems, uniqueItems, type, 'x-form': form } = schema;
  if (type === 'array') {
    const few = maxItems === undefined ? '' : `${count(minItems ?? 0)} to ${count(maxItems)} items`;
    return [few, uniqueItems && 'none twice'].filter(Boolean).join(', ');
  }
  if (minimum !== undefined && maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER) {
    return `${count(minimum)} to ${count(maximum)}`;
  }
  if (typeof form !== 'string' || description.includes(form) || /UUID|ISO 8601/.test(description)) return '';
  return description.includes('such as') ? form.replace(/, such as .*/, '') : form;
}

const sentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

const nonNull = (schema: Json): Json => formsOf(schema).find(({ type }) => type !== 'null') ?? schema;
const descriptionOf = (schema: Json): string => String(schema.description ?? nonNull(schema).description ?? '');

/** The values of a field, if they are too many for its type. */
function valuesOf(schemas: Json[]): string {
  const all = schemas.flatMap(({ enum: values }) => (Array.isArray(values) ? values : []));
  return isLong(all) ? `One of ${all.map((value) => `\`${value}\``).join(', ')}.` : '';
}

const withoutArticle = (text: string): string => text.toLowerCase().replace(/^an? /, '');

/** What a field of a request means, and which values it takes. */
function requestText(schema: Json): string {
  const description = descriptionOf(schema);
  const form = nonNull(schema)['x-form'];
  // The form of an amount says all of its description, and more.
  if (typeof form === 'string' && withoutArticle(form).startsWith(withoutArticle(description).slice(0, 20) || ' ')) {
    return sentence(form);
  }
  return [sentence(description), sentence(rangeOf(nonNull(schema), description)), valuesOf([schema])]
    .filter(Boolean)
    .join(' ');
}

interface Field {
  schema: Json;
  need: string;
}

/** The fields of all forms of an object. */
function fieldsOf(schema: Json): Map<string, Field> {
  const forms = formsOf(schema);
  const fields = new Map<string, Field>();
  for (const field of new Set(forms.flatMap((form) => Object.keys(propertiesOf(form))))) {
    const having = forms.filter((form) => field in propertiesOf(form));
    const requiring = forms.filter((form) => requiredOf(form).includes(field));
    const title = `“${String(having[0]?.title)}”`;
    const only = having.length < forms.length ? ` in the form ${title}` : '';
    const need = requiring.length === having.length ? `required${only}` : `optional${only}`;
    fields.set(field, { schema: propertiesOf(having[0] as Json)[field] as Json, need });
  }
  return fields;
}

/** A list of the fields of a request, with those of the objects in it. `makes` is the id that the client makes. */
export function fieldDocs(schema: Json, makes?: string, prefix = ''): string[] {
  return [...fieldsOf(schema)].flatMap(([field, { schema: of, need }]) => {
    const made = field === makes ? ' The client makes one if it is absent.' : '';
    const line = `- \`${prefix}${field}\` (${need}): ${requestText(of) || 'See below.'}${made}`;
    const items = (of['x-items'] ?? of.items) as Json | undefined;
    const inner = items ? fieldDocs(items, makes, `${prefix}${field}[].`) : [];
    const own = of.type === 'object' ? fieldDocs(of, undefined, `${prefix}${field}.`) : [];
    return [...wrapped(line.replace(': See below.', ''), 108, '  '), ...own, ...inner];
  });
}

/** The fields of a response as properties. */
export function propertyDocs(schema: Json, isWanted: (field: string) => boolean): string[] {
  const forms = formsOf(schema);
  return [...fieldsOf(schema)]
    .filter(([field]) => isWanted(field))
    .flatMap(([field, { schema: of }]) => {
      const having = forms.filter((form) => field in propertiesOf(form));
      const isOptional = !forms.every((form) => requiredOf(form).includes(field));
      const schemas = having.map((form) => propertiesOf(form)[field] as Json);
      const values = valuesOf(schemas);
      const types = values === '' ? schemas.map((one) => typeOf(one)) : ['string'];
      const type = union([...types, ...(isOptional ? ['null'] : [])]);
      const lines = `@property-read ${type} $${field}`.split('\n');
      const text = [sentence(descriptionOf(of)), values].filter(Boolean).join(' ');
      if (text === '') return lines;
      const last = wrapped(`${lines.at(-1)} ${text}`, 114, '    ');
      return [...lines.slice(0, -1), ...last];
    });
}
