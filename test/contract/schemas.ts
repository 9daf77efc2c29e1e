export type Schema = Record<string, unknown>;

/** Keywords whose values are schemas: one, or one for each name or place. */
const single = ['items', 'x-items', 'if', 'then', 'else'];
const several = ['properties', 'anyOf', 'oneOf', 'allOf'];

/** A schema and every schema within it, with the path that leads there. */
export function* schemasIn(schema: object, path = ''): Generator<[string, Schema]> {
  yield [path, schema as Schema];
  for (const [keyword, inner] of Object.entries(schema)) {
    if (single.includes(keyword)) yield* schemasIn(inner, `${path}/${keyword}`);
    if (!several.includes(keyword)) continue;
    for (const [name, each] of Object.entries<object>(inner)) yield* schemasIn(each, `${path}/${name}`);
  }
}
