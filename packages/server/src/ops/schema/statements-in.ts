/** What PostgreSQL must not find a semicolon in: comments, quoted texts and names, and bodies between dollars. */
const quoted = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1/y;

/** The statements of a file, one by one. */
export function statementsIn(sql: string): string[] {
  const statements: string[] = [];
  let from = 0;
  for (let i = 0; i < sql.length; ) {
    quoted.lastIndex = i;
    const skipped = quoted.exec(sql)?.[0];
    if (skipped !== undefined) {
      i += skipped.length;
    } else {
      i += 1;
      if (sql[i - 1] !== ';') continue;
      statements.push(sql.slice(from, i));
      from = i;
    }
  }
  return [...statements, sql.slice(from)].map((each) => each.trim()).filter((each) => withoutComments(each) !== '');
}

const withoutComments = (text: string): string => text.replace(/--[^\n]*/g, '').trim();
