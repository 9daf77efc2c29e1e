/** What helps to find the cause, and nothing of what the caller sent: PostgreSQL's messages can quote values. */
export function faultOf(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table } = error as { code?: string; constraint?: string; table?: string };
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  return { type: error.name, ...(code === undefined && { message: error.message }), code, constraint, table, frames };
}
