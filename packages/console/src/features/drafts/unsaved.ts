// What was typed into a draft and is not saved, in the window where it was typed: neither a reload nor the end of a session takes
// it. It replaces the revision that it was typed over, and no other.

interface Unsaved {
  revision: number;
  text: string;
}

const keyOf = (draftId: string): string => `unsaved draft ${draftId}`;

export const keepUnsaved = (draftId: string, unsaved: Unsaved): void =>
  sessionStorage.setItem(keyOf(draftId), JSON.stringify(unsaved));

export const dropUnsaved = (draftId: string): void => sessionStorage.removeItem(keyOf(draftId));

export function unsavedOf(draftId: string, revision: number): Record<string, unknown> | undefined {
  const kept = JSON.parse(sessionStorage.getItem(keyOf(draftId)) ?? 'null') as Unsaved | null;
  return kept?.revision === revision ? JSON.parse(kept.text) : undefined;
}
