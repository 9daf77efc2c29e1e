/** Something the person at the terminal can act on. The message is one clear sentence, shown as it is. */
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

/** Ends a sentence that quotes what somebody else said, whether or not they ended it themselves. */
export function sentence(text: string): string {
  return `${text.trim().replace(/\.$/, '')}.`;
}
