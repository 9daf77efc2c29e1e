import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type AnswerOf, call } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';

// A draft saves itself: a moment after the last key, one save at a time, each with the revision that it replaces. What could not be
// saved is tried again with the next change, or by hand.

type Found = AnswerOf<'DraftGet'>;
type Checked = AnswerOf<'DraftSave'>;

const pauseMs = 400;

export function useSaving(found: Found, text: string, firstText: string) {
  const { client_id, draft_id } = found;
  const queries = useQueryClient();
  const [saved, setSaved] = useState<{ checked: Checked; text: string }>({ checked: found, text: firstText });
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (changed: string) =>
      call('DraftSave', {
        client_id,
        draft_id,
        revision: saved.checked.revision,
        kind: 'campaign',
        content: JSON.parse(changed),
      }),
    onSuccess: (checked, changed) => {
      setSaved({ checked, text: changed });
      const { queryKey } = asking('DraftGet', { client_id, draft_id });
      queries.setQueryData(queryKey, (before) => before && { ...before, ...checked, content: JSON.parse(changed) });
    },
  });
  const isSaved = text === saved.text;
  const hasFailed = error !== null && variables === text;
  useEffect(() => {
    if (isSaved || isPending || hasFailed) return;
    const timer = setTimeout(() => mutate(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, isSaved, isPending, hasFailed, mutate]);
  useLastSave(() => {
    if (!isSaved && !isPending && !hasFailed) mutate(text);
  }, isSaved);
  return { checked: saved.checked, isSaved, error: isSaved ? null : error, saveAgain: () => mutate(text) };
}

/** Whoever leaves the screen leaves nothing unsaved; whoever closes the window is asked. */
function useLastSave(save: () => void, isSaved: boolean): void {
  const last = useRef(save);
  last.current = save;
  useEffect(() => () => last.current(), []);
  useEffect(() => {
    if (isSaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isSaved]);
}
