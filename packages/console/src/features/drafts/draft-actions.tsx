import type { DraftContents } from '@freebets/contract';
import { Alert, Anchor, Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CallResponse } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { callQuery } from '../../api/queries.ts';
import { useMay, usePerson } from '../../api/session.ts';
import { idInPath } from '../../ui/address.ts';
import { ChangeDialog, DialogButton } from '../../ui/change-dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { MoneyList } from '../../ui/figures.tsx';
import { Time } from '../../ui/time.tsx';
import { LimitsDialog } from '../campaigns/limits.tsx';
import { DiscardButton, SubmitDialog } from './submit.tsx';
import { liabilityText } from './words.tsx';

type Found = CallResponse<'DraftGet'>;

const isClosed = ({ state }: Found): boolean => state === 'approved' || state === 'discarded';

/** Whether the user can approve or reject the draft. */
function useCanDecide(): (draft: Found) => boolean {
  const may = useMay();
  const { staff_id } = usePerson();
  return ({ state, author }) => state === 'submitted' && author.staff_id !== staff_id && may('DraftApprove');
}

/** Users decide on the revision they read. A newer revision is shown only when they ask for it. */
export function useRead(latest: Found) {
  const canDecide = useCanDecide();
  const [read, setRead] = useState(latest);
  const isOutdated = canDecide(read) && latest.revision !== read.revision;
  if (!isOutdated && read !== latest) setRead(latest);
  return { draft: isOutdated ? read : latest, isOutdated, readLatest: () => setRead(latest) };
}

interface ActionsProps {
  draft: Found;
  /** Whether a newer revision exists. */
  isOutdated: boolean;
}

export function DraftActions({ draft, isOutdated }: ActionsProps) {
  const canDecide = useCanDecide();
  const { staff_id } = usePerson();
  if (isClosed(draft)) return null;
  if (draft.author.staff_id === staff_id) return <AuthorActions draft={draft} />;
  return canDecide(draft) && <Decision draft={draft} isOutdated={isOutdated} />;
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
      {kind === 'limits' && <EditLimits draft={draft} />}
      {kind === 'job' && <CopyBulkAward draft={draft} />}
      {draft.state === 'open' ? (
        <Button disabled={draft.problems.length > 0} onClick={() => setAsked(draft)}>
          Submit…
        </Button>
      ) : (
        <Button loading={open.isPending} onClick={() => open.mutate()}>
          {draft.state === 'submitted' ? 'Withdraw and edit' : 'Reopen draft'}
        </Button>
      )}
      {open.error && <ErrorNote error={open.error} />}
      {asked && <SubmitDialog draft={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

/** Changes the caps in the same draft and submits it again. */
function EditLimits({ draft: { client_id, draft_id, revision, content } }: { draft: Found }) {
  const limits = content as DraftContents['limits'];
  const { data } = useQuery(callQuery('CampaignGet', { client_id, campaign_id: limits.campaign_id }));
  return (
    data && (
      <DialogButton
        label="Edit caps…"
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

/** The uploaded players of a bulk award cannot be changed, so this starts another one with the same terms. */
const CopyBulkAward = ({ draft: { client_id, target_id } }: { draft: Found }) => (
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
    New bulk award with these terms
  </Button>
);

/** Approves or rejects exactly the shown revision. */
function Decision({ draft, isOutdated }: ActionsProps) {
  const [asked, setAsked] = useState<'DraftApprove' | 'DraftRefuse' | null>(null);
  const change = useChange('draft');
  const { client_id, draft_id, revision } = draft;
  // A draft can't be approved before its terms are on the screen.
  const isUnread = useTermsOfList(draft).isUnread;
  const decide = (name: 'DraftApprove' | 'DraftRefuse') => (reason: string) =>
    change(name, { client_id, draft_id, revision, reason });
  const close = () => setAsked(null);
  return (
    <>
      <Button variant="default" disabled={isOutdated} onClick={() => setAsked('DraftRefuse')}>
        Reject…
      </Button>
      <Button disabled={isOutdated || isUnread || draft.problems.length > 0} onClick={() => setAsked('DraftApprove')}>
        Approve…
      </Button>
      <ChangeDialog
        isOpen={asked === 'DraftApprove'}
        onClose={close}
        title="Approve draft"
        action="Approve and apply"
        isOutdated={isOutdated}
        onConfirm={decide('DraftApprove')}
      >
        <Text size="sm" component="div">
          <b>{draft.title}</b> is applied at once, exactly as submitted. {liabilityText(draft.kind)}:
          <MoneyList amounts={draft.max_exposure ?? []} />
        </Text>
      </ChangeDialog>
      <ChangeDialog
        isOpen={asked === 'DraftRefuse'}
        onClose={close}
        title="Reject draft"
        action="Reject draft"
        isDangerous
        isOutdated={isOutdated}
        onConfirm={decide('DraftRefuse')}
      >
        <Text size="sm">
          Nothing is applied. {draft.author.name} sees your reason, and can change the draft and submit it again.
        </Text>
      </ChangeDialog>
    </>
  );
}

const hasPassed = (at: string | null): boolean => at !== null && Date.parse(at) <= Date.now();

const Deadline = ({ at }: { at: string | null }) =>
  hasPassed(at) ? (
    'It can no longer be approved, because its campaign or bulk award has ended.'
  ) : (
    <>
      Without a decision it expires <Time at={at} is="ahead" />.
    </>
  );

/** The draft's status, and who acts next. */
export function DraftStatus({ draft }: { draft: Found }) {
  const { staff_id } = usePerson();
  const may = useMay();
  const isOwn = draft.author.staff_id === staff_id;
  switch (draft.state) {
    case 'submitted':
      return (
        <Alert variant="light" title="Waiting for approval" role="status">
          {isOwn && 'You cannot approve your own draft; a colleague must. '}
          {!isOwn && !may('DraftApprove') && 'A manager decides. '}
          {draft.submit_reason && `Reason: “${draft.submit_reason}”. `}
          <Deadline at={draft.expires_at} />
        </Alert>
      );
    case 'refused':
      return (
        <Alert
          variant="light"
          color="red"
          title={`Rejected by ${draft.decided_by?.name ?? 'a colleague'}`}
          role="status"
        >
          “{draft.decision_reason}” {isOwn && 'Reopen it, change it and submit it again.'}
        </Alert>
      );
    case 'expired':
      return <Alert variant="light" color="gray" title="Expired without a decision" role="status" />;
    case 'discarded':
      return <Alert variant="light" color="gray" title="Discarded by its author" role="status" />;
    case 'approved':
      return (
        <Alert variant="light" color="green" title="Applied" role="status">
          {draft.decided_by
            ? `Approved by ${draft.decided_by.name}. `
            : 'It was within the limit and needed no approval. '}
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
      {kind === 'job' ? 'Go to bulk award' : 'Go to campaign'}
    </Anchor>
  );
}

/** The terms of a bulk award are on the job, not in its draft. Unread until they are loaded. */
export function useTermsOfList({ client_id, kind, target_id }: CallResponse<'DraftGet'>) {
  const isList = kind === 'job' && target_id !== null;
  const { data, error, refetch } = useQuery({
    ...callQuery('JobGet', { client_id, job_id: target_id ?? '' }),
    // Never show the terms of another bulk award.
    placeholderData: undefined,
    enabled: isList,
  });
  return { data, error, refetch, isUnread: isList && data === undefined };
}
