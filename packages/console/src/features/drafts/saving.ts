import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { asksBeforeUnload, CallError, type CallResponse, call, isTransient } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';

// Saves a draft automatically: shortly after the last keystroke, one save at a time, each with the revision it
// replaces. Retries while the server is unreachable. Leaving waits for the last save, and asks if that fails. Unsaved
// changes are also kept in sessionStorage until they are saved.

type Found = CallResponse<'DraftGet'>;
type Checked = CallResponse<'DraftSave'>;

interface Present {
  text: string;
  saved: { checked: Checked; text: string };
  /** Sent without a response, so the server may have saved it. */
  unanswered: string | undefined;
}

const isBehind = ({ text, saved, unanswered }: Present): boolean => unanswered !== undefined || text !== saved.text;

const pauseMs = 400;
const retryMs = 5000;

export function useSaving(found: Found, text: string, firstText: string) {
  const { client_id, draft_id } = found;
  const queries = useQueryClient();
  const [saved, setSaved] = useState<Present['saved']>({ checked: found, text: firstText });
  // A ref, so that a save in progress sees the latest text.
  const present = useRef<Present>({ text, saved, unanswered: undefined });
  present.current.text = text;
  // Kept between retries, so that the error does not flicker.
  const [failure, setFailure] = useState<Error | null>(null);
  const { mutate, mutateAsync, isPending, error, variables } = useMutation({
    onSettled: (_, error) => setFailure(error),
    // Saves of one draft run one after another.
    scope: { id: `draft ${draft_id}` },
    async mutationFn(_last: string) {
      while (isBehind(present.current)) {
        // A save without a response may have succeeded. Sending the same content again returns its revision.
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
        const { queryKey } = callQuery('DraftGet', { client_id, draft_id });
        queries.setQueryData(queryKey, (before) => before && { ...before, ...checked, content });
      }
    },
  });
  const isSaved = !isBehind(present.current);
  const hasFailed = error !== null && variables === text;
  const isRefused = hasFailed && !isTransient(error);
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

// Unsaved changes survive a reload and the end of the session in sessionStorage. They are restored onto the revision
// they were typed over. If the draft has another revision by then, the user chooses.

interface Unsaved {
  revision: number;
  text: string;
}

const keyOf = (draftId: string): string => `unsaved draft ${draftId}`;

const keepUnsaved = (draftId: string, unsaved: Unsaved): void =>
  sessionStorage.setItem(keyOf(draftId), JSON.stringify(unsaved));

const keptOf = (draftId: string) => JSON.parse(sessionStorage.getItem(keyOf(draftId)) ?? 'null') as Unsaved | null;

/** Removes changes that are saved or belong to this revision. Changes to another revision stay. */
function dropUnsaved(draftId: string, { revision, text }: Unsaved): void {
  const kept = keptOf(draftId);
  if (kept?.revision === revision || kept?.text === text) sessionStorage.removeItem(keyOf(draftId));
}

/** Removes changes that the user declined, unless newer ones replaced them. */
export function forgetUnsaved(draftId: string, text: string): void {
  if (keptOf(draftId)?.text === text) sessionStorage.removeItem(keyOf(draftId));
}

type Kept = { text: string; content: Record<string, unknown>; isOfThis: boolean };

export function unsavedOf(draftId: string, revision: number): Kept | undefined {
  const kept = keptOf(draftId);
  return kept ? { text: kept.text, content: JSON.parse(kept.text), isOfThis: kept.revision === revision } : undefined;
}
