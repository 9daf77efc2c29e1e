import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type AnswerOf, asksBeforeUnload, CallError, call, mayPass } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';

// A draft saves itself: a moment after the last key, one save at a time, each with the revision that it replaces. While the server
// cannot be reached it tries again by itself. Whoever leaves waits for the last save, and is asked where it fails. What is not
// saved yet is kept in the window too (unsaved.ts), and removed from there when it is.

type Found = AnswerOf<'DraftGet'>;
type Checked = AnswerOf<'DraftSave'>;

interface Present {
  text: string;
  saved: { checked: Checked; text: string };
  /** What was sent and not answered: it may be what the server has. */
  unanswered: string | undefined;
}

const isBehind = ({ text, saved, unanswered }: Present): boolean => unanswered !== undefined || text !== saved.text;

const pauseMs = 400;
const retryMs = 5000;

export function useSaving(found: Found, text: string, firstText: string) {
  const { client_id, draft_id } = found;
  const queries = useQueryClient();
  const [saved, setSaved] = useState<Present['saved']>({ checked: found, text: firstText });
  // As of this moment, also for a save that began earlier.
  const present = useRef<Present>({ text, saved, unanswered: undefined });
  present.current.text = text;
  // Shown until a save is answered: each attempt would make it vanish for a moment.
  const [failure, setFailure] = useState<Error | null>(null);
  const { mutate, mutateAsync, isPending, error, variables } = useMutation({
    onSettled: (_, error) => setFailure(error),
    // One waits for the other.
    scope: { id: `draft ${draft_id}` },
    async mutationFn(_last: string) {
      while (isBehind(present.current)) {
        // A save without an answer may have been carried out: sent again just as it was, it is answered with its revision.
        const changed = present.current.unanswered ?? present.current.text;
        const { revision } = present.current.saved.checked;
        const content = JSON.parse(changed);
        present.current.unanswered = changed;
        const checked = await call('DraftSave', { client_id, draft_id, revision, kind: 'campaign', content }).catch(
          (error) => {
            if (error instanceof CallError && error.status >= 400 && error.status < 500)
              present.current.unanswered = undefined;
            throw error;
          },
        );
        present.current.unanswered = undefined;
        present.current.saved = { checked, text: changed };
        setSaved(present.current.saved);
        const { queryKey } = asking('DraftGet', { client_id, draft_id });
        queries.setQueryData(queryKey, (before) => before && { ...before, ...checked, content });
      }
    },
  });
  const isSaved = !isBehind(present.current);
  const hasFailed = error !== null && variables === text;
  const isRefused = hasFailed && !mayPass(error);
  const { revision } = saved.checked;
  useEffect(() => {
    if (isSaved) dropUnsaved(draft_id, { revision, text });
    else keepUnsaved(draft_id, { revision, text });
  }, [draft_id, revision, text, isSaved]);
  useEffect(() => {
    if (isSaved || isPending || isRefused) return;
    const timer = setTimeout(() => mutate(text), hasFailed ? retryMs : pauseMs);
    return () => clearTimeout(timer);
  }, [text, isSaved, isPending, hasFailed, isRefused, mutate]);
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname &&
      isBehind(present.current) &&
      mutateAsync(present.current.text).then(
        () => false,
        () => true,
      ),
    enableBeforeUnload: () => asksBeforeUnload(isBehind(present.current)),
    withResolver: true,
  });
  return { checked: saved.checked, isSaved, error: isSaved ? null : failure, saveAgain: () => mutate(text), leaving };
}

// What was typed into a draft and is not saved, in the window where it was typed: neither a reload nor the end of a session takes
// it. It replaces the revision that it was typed over; over another it is offered, and whoever typed it chooses.

interface Unsaved {
  revision: number;
  text: string;
}

const keyOf = (draftId: string): string => `unsaved draft ${draftId}`;

const keepUnsaved = (draftId: string, unsaved: Unsaved): void =>
  sessionStorage.setItem(keyOf(draftId), JSON.stringify(unsaved));

const keptOf = (draftId: string) => JSON.parse(sessionStorage.getItem(keyOf(draftId)) ?? 'null') as Unsaved | null;

/** What is saved, or was typed over just this revision; what was typed over another stays. */
function dropUnsaved(draftId: string, { revision, text }: Unsaved): void {
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
