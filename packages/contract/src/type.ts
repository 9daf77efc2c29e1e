import type {
  TProperties as Properties,
  TSchema as Schema,
  TSchemaOptions as SchemaOptions,
  Static as StaticOf,
  Type as TypeBox,
} from 'typebox';

// Schemas, built as TypeBox builds them and typed by it; a test holds that they are the same. Of TypeBox itself only the types
// are used: its 373 files take 230 ms to load, which was a quarter of the start of a server and almost half of a command.

type Built = Record<string, unknown>;

/** The copies that may be left out of an object. Whatever is spread from one is a schema of its own, and required. */
const optional = new WeakSet<object>();

const required = (properties: Record<string, object>): string[] =>
  Object.keys(properties).filter((name) => !optional.has(properties[name] as object));

const builders = {
  Array: (items: Built, options?: Built) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Built) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly unknown[], options?: Built) => ({ enum: values, ...options }),
  Integer: (options?: Built) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: Built) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Built) => ({ type: 'null', ...options }),
  Number: (options?: Built) => ({ type: 'number', ...options }),
  Object: (properties: Record<string, object>, options?: Built) => {
    const names = required(properties);
    return { type: 'object', ...(names.length > 0 && { required: names }), properties, ...options };
  },
  Optional: (schema: Built) => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  /** By any name: TypeBox makes a pattern of the schema of the names, and only `Type.String()` is used for it. */
  Record: (_names: Built, values: Built, options?: Built) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  String: (options?: Built) => ({ type: 'string', ...options }),
  Union: (schemas: Built[], options?: Built) => ({ anyOf: schemas, ...options }),
  Unknown: (options?: Built) => ({ ...options }),
  Unsafe: (schema: Built) => ({ ...schema }),
};

export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;

export declare namespace Type {
  type Static<S extends Schema> = StaticOf<S>;
  type TProperties = Properties;
  type TSchema = Schema;
  type TSchemaOptions = SchemaOptions;
}
