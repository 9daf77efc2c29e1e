import type pg from 'pg';

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

const walkedIn = (node: PlanNode, table: string): number => {
  const read = node['Relation Name'] === table ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0;
  const here = (read + (node['Rows Removed by Join Filter'] ?? 0)) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, one) => sum + walkedIn(one, table), here);
};

/** The number of rows of the table that a statement reads, and of row pairs that a join discards. */
export async function rowsWalked(
  sql: pg.Pool,
  { text, values }: { text: string; values?: unknown[] },
  table: string,
): Promise<number> {
  const { rows } = await sql.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  return walkedIn(rows[0]['QUERY PLAN'][0].Plan, table);
}
