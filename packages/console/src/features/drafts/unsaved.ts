// What was typed into a draft and is not saved, in the window where it was typed: neither a reload nor the end of a session takes
// it. It replaces the revision that it was typed over; over another it is offered, and whoever typed it chooses.

interface Unsaved {
  revision: number;
  text: string;
}

const keyOf = (draftId: string): string => `unsaved draft ${draftId}`;

export const keepUnsaved = (draftId: string, unsaved: Unsaved): void =>
  sessionStorage.setItem(keyOf(draftId), JSON.stringify(unsaved));

const keptOf = (draftId: string) => JSON.parse(sessionStorage.getItem(keyOf(draftId)) ?? 'null') as Unsaved | null;

/** What is saved, or was typed over just this revision; what was typed over another stays. */
export function dropUnsaved(draftId: string, { revision, text }: Unsaved): void {
  const kept = keptOf(draftId);
  if (kept?.revision === revision || kept?.text === text) sessionStorage.removeItem(keyOf(draftId));
}

/** What somebody chose not to use; what was typed since then stays. */
export function forgetUnsaved(draftId: string, text: string): void {
  if (keptOf(draftId)?.text === text) sessionStorage.removeItem(keyOf(draftId));
}

type Kept = { text: string; content: Record<string, unknown>; isOfThis: boolean };

export function unsavedOf(draftId: string, revision: number): Kept | undefined {
  const kept = keptOf(draftId);
  return kept ? { text: kept.text, content: JSON.parse(kept.text), isOfThis: kept.revision === revision } : undefined;
}
