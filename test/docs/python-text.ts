// Python source as text.

/** A JSON value as Python writes it. With an indent it takes several lines if one would be too long. */
export function pythonLiteral(value: unknown, indent?: number): string {
  const line = onOneLine(value);
  if (indent === undefined || line.length + indent <= 90 || typeof value !== 'object' || value === null) return line;
  const inner = indent + 4;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => pythonLiteral(item, inner))
    : Object.entries(value).map(([key, item]) => `"${key}": ${pythonLiteral(item, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${items.map((item) => `${' '.repeat(inner)}${item},\n`).join('')}${' '.repeat(indent)}${close}`;
}

function onOneLine(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, item]) => `"${key}": ${onOneLine(item)}`);
  return `{${fields.join(', ')}}`;
}

export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
