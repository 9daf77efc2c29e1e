import type { DraftContents } from '@freebets/contract';
import { Alert, Anchor, Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { asking } from '../../api/queries.ts';
import { useMay, usePerson } from '../../api/session.ts';
import { idInPath } from '../../ui/address.ts';
import { ChangeDialog, DialogButton } from '../../ui/change-dialog.tsx';
import { MoneyList } from '../../ui/figures.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { Time } from '../../ui/time.tsx';
import { LimitsDialog } from '../campaigns/limits.tsx';
import { DiscardButton, SubmitDialog } from './submit.tsx';
import { atMost } from './words.tsx';

type Found = AnswerOf<'DraftGet'>;

const isOver = ({ state }: Found): boolean => state === 'approved' || state === 'discarded';

/** Whether whoever is at the screen can approve or refuse it. */
function useDecides(): (draft: Found) => boolean {
  const may = useMay();
  const { staff_id } = usePerson();
  return ({ state, author }) => state === 'submitted' && author.staff_id !== staff_id && may('DraftApprove');
}

/** Whoever decides on it decides on what they have read: another revision is shown when they ask for it. */
export function useRead(latest: Found) {
  const decides = useDecides();
  const [read, setRead] = useState(latest);
  const isOutdated = decides(read) && latest.revision !== read.revision;
  if (!isOutdated && read !== latest) setRead(latest);
  return { draft: isOutdated ? read : latest, isOutdated, readLatest: () => setRead(latest) };
}

interface ActionsProps {
  draft: Found;
  /** Whether there is another revision than this. */
  isOutdated: boolean;
}

export function DraftActions({ draft, isOutdated }: ActionsProps) {
  const decides = useDecides();
  const { staff_id } = usePerson();
  if (isOver(draft)) return null;
  if (draft.author.staff_id === staff_id) return <AuthorActions draft={draft} />;
  return decides(draft) && <Decision draft={draft} isOutdated={isOutdated} />;
}

function AuthorActions({ draft }: { draft: Found }) {
  const [asked, setAsked] = useState<Found | null>(null);
  const change = useChange('draft');
  const { client_id, draft_id, revision, kind, content } = draft;
  const open = useMutation({
    mutationFn: () => change('DraftSave', { client_id, draft_id, revision, kind, content }),
  });
  return (
    <>
      <DiscardButton draft={draft} />
      {kind === 'limits' && <MendLimits draft={draft} />}
      {kind === 'job' && <NewListAlike draft={draft} />}
      {draft.state === 'open' ? (
        <Button disabled={draft.problems.length > 0} onClick={() => setAsked(draft)}>
          Submit…
        </Button>
      ) : (
        <Button loading={open.isPending} onClick={() => open.mutate()}>
          {draft.state === 'submitted' ? 'Take it back to change it' : 'Open it again'}
        </Button>
      )}
      {open.error && <RefusalNote error={open.error} />}
      {asked && <SubmitDialog draft={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

/** Other limits in the same draft, which is submitted again. */
function MendLimits({ draft: { client_id, draft_id, revision, content } }: { draft: Found }) {
  const limits = content as DraftContents['limits'];
  const { data } = useQuery(asking('CampaignGet', { client_id, campaign_id: limits.campaign_id }));
  return (
    data && (
      <DialogButton
        label="Mend it…"
        size="sm"
        dialog={(close) => (
          <LimitsDialog
            onClose={close}
            clientId={client_id}
            campaign={data}
            draft={{ draft_id, revision, content: limits }}
          />
        )}
      />
    )
  );
}

/** What was sent of a list stays as it is: another one begins with its terms. */
const NewListAlike = ({ draft: { client_id, target_id } }: { draft: Found }) => (
  <Button
    variant="default"
    renderRoot={(props) => (
      <Link
        {...props}
        to="/p/$clientId/lists/new"
        params={{ clientId: String(client_id) }}
        search={{ terms: 'own', like: target_id ?? undefined }}
      />
    )}
  >
    New list with its terms
  </Button>
);

/** Approves or refuses exactly the revision that is shown. */
function Decision({ draft, isOutdated }: ActionsProps) {
  const [asked, setAsked] = useState<'DraftApprove' | 'DraftRefuse' | null>(null);
  const change = useChange('draft');
  const { client_id, draft_id, revision } = draft;
  // Nobody approves what they cannot have read.
  const isUnread = useTermsOfList(draft).isUnread;
  const decide = (name: 'DraftApprove' | 'DraftRefuse') => (reason: string) =>
    change(name, { client_id, draft_id, revision, reason });
  const close = () => setAsked(null);
  return (
    <>
      <Button variant="default" disabled={isOutdated} onClick={() => setAsked('DraftRefuse')}>
        Refuse…
      </Button>
      <Button disabled={isOutdated || isUnread || draft.problems.length > 0} onClick={() => setAsked('DraftApprove')}>
        Approve…
      </Button>
      <ChangeDialog
        isOpen={asked === 'DraftApprove'}
        onClose={close}
        title="Approve"
        action="Approve and carry out"
        isOutdated={isOutdated}
        carryOut={decide('DraftApprove')}
      >
        <Text size="sm" component="div">
          <b>{draft.title}</b> is carried out at once, exactly as it was submitted. It can cost {atMost(draft.kind)}
          <MoneyList amounts={draft.max_exposure ?? []} />
        </Text>
      </ChangeDialog>
      <ChangeDialog
        isOpen={asked === 'DraftRefuse'}
        onClose={close}
        title="Refuse"
        action="Refuse it"
        isDangerous
        isOutdated={isOutdated}
        carryOut={decide('DraftRefuse')}
      >
        <Text size="sm">
          Nothing is carried out. {draft.author.name} sees your reason, and can mend the draft and submit it again.
        </Text>
      </ChangeDialog>
    </>
  );
}

const hasPassed = (at: string | null): boolean => at !== null && Date.parse(at) <= Date.now();

const Lapse = ({ at }: { at: string | null }) =>
  hasPassed(at) ? (
    'It can no longer be approved, because its campaign or list has ended.'
  ) : (
    <>
      If it is not decided, it lapses <Time at={at} is="ahead" />.
    </>
  );

/** Where it stands, and who is next. */
export function WhoDecides({ draft }: { draft: Found }) {
  const { staff_id } = usePerson();
  const may = useMay();
  const isOwn = draft.author.staff_id === staff_id;
  switch (draft.state) {
    case 'submitted':
      return (
        <Alert variant="light" title="Waits for approval" role="status">
          {isOwn && 'You submitted it yourself, so somebody else must approve it. '}
          {!isOwn && !may('DraftApprove') && 'A manager decides on it. '}
          {draft.submit_reason && `“${draft.submit_reason}” `}
          <Lapse at={draft.expires_at} />
        </Alert>
      );
    case 'refused':
      return (
        <Alert
          variant="light"
          color="red"
          title={`Refused by ${draft.decided_by?.name ?? 'a colleague'}`}
          role="status"
        >
          “{draft.decision_reason}” {isOwn && 'Open it again, mend it, and submit it anew.'}
        </Alert>
      );
    case 'expired':
      return <Alert variant="light" color="gray" title="Nobody decided in time" role="status" />;
    case 'discarded':
      return <Alert variant="light" color="gray" title="Its author gave it up" role="status" />;
    case 'approved':
      return (
        <Alert variant="light" color="green" title="Carried out" role="status">
          {draft.decided_by
            ? `Approved by ${draft.decided_by.name}. `
            : 'It was within the limit, and needed no approval. '}
          <Outcome draft={draft} />
        </Alert>
      );
    default:
      return null;
  }
}

function Outcome({ draft: { client_id, kind, target_id } }: { draft: Found }) {
  if (target_id === null) return null;
  const place = kind === 'job' ? 'lists' : 'campaigns';
  return (
    <Anchor inherit underline="always" component={Link} to={`/p/${client_id}/${place}/${idInPath(target_id)}`}>
      {kind === 'job' ? 'Go to the list' : 'Go to the campaign'}
    </Anchor>
  );
}

/** The list that a draft starts has its terms itself: unread as long as they are not here. */
export function useTermsOfList({ client_id, kind, target_id }: AnswerOf<'DraftGet'>) {
  const isList = kind === 'job' && target_id !== null;
  const { data, error, refetch } = useQuery({
    ...asking('JobGet', { client_id, job_id: target_id ?? '' }),
    // The terms of one list are never those of another.
    placeholderData: undefined,
    enabled: isList,
  });
  return { data, error, refetch, isUnread: isList && data === undefined };
}
