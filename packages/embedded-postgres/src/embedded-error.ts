/** An error that the person at the terminal can fix. Its message is shown unchanged. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Ends quoted text with exactly one full stop. */
export function sentence(text: string): string {
  return `${text.trim().replace(/\.$/, '')}.`;
}
