import type { CampaignGetResponse } from '@freebets/contract';
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type CallName, call } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { count } from '../../ui/figures.tsx';
import { IssueDialog } from '../players/issue-dialog.tsx';
import { useDuplicate } from './campaigns.tsx';
import { LimitsDialog } from './limits.tsx';

type Change = 'pause' | 'resume' | 'stop' | 'limits' | 'issue';

interface StatusChange {
  operation: 'CampaignPause' | 'CampaignResume' | 'CampaignStop';
  title: string;
  action: string;
  consequence(campaign: CampaignGetResponse): string;
}

const openOf = ({ counts }: CampaignGetResponse): string =>
  count(counts.issued - counts.cancelled - counts.expired - counts.finished);

function leftOf({ config: { bonus_limit }, counts }: CampaignGetResponse): string {
  if (bonus_limit === null) return 'without a cap';
  const left = Math.max(0, bonus_limit - counts.issued + counts.cancelled);
  return `at most ${count(left)} more`;
}

const statusChanges: Record<'pause' | 'resume' | 'stop', StatusChange> = {
  pause: {
    operation: 'CampaignPause',
    title: 'Pause campaign',
    action: 'Pause campaign',
    consequence: (campaign) =>
      `No free bets are issued and bulk awards wait until you resume it. The ${openOf(campaign)} open free bets can still be used.`,
  },
  resume: {
    operation: 'CampaignResume',
    title: 'Resume campaign',
    action: 'Resume campaign',
    consequence: (campaign) => `Free bets are issued again, ${leftOf(campaign)}, and waiting bulk awards continue.`,
  },
  stop: {
    operation: 'CampaignStop',
    title: 'Stop campaign permanently',
    action: 'Stop campaign',
    consequence: (campaign) =>
      `No more free bets are issued, and the campaign cannot be restarted. The ${openOf(campaign)} open free bets can still ` +
      'be used. The rest of running bulk awards is refused.',
  },
};

const changesAt = (status: CampaignGetResponse['status']): Change[] => {
  if (status === 'ended' || status === 'stopped') return [];
  return ['issue', 'limits', status === 'paused' ? 'resume' : 'pause', 'stop'];
};

const buttons: Record<Change, { label: string; needs: CallName; color?: string }> = {
  issue: { label: 'Issue free bet', needs: 'Issue' },
  limits: { label: 'Change caps', needs: 'CampaignLimits' },
  pause: { label: 'Pause', needs: 'CampaignPause' },
  resume: { label: 'Resume', needs: 'CampaignResume' },
  stop: { label: 'Stop', needs: 'CampaignStop', color: 'red' },
};

interface ActionsProps {
  clientId: number;
  campaign: CampaignGetResponse;
}

export function CampaignActions({ clientId, campaign }: ActionsProps) {
  const may = useMay();
  const duplicate = useDuplicate(clientId);
  const [change, setChange] = useState<Change | null>(null);
  const close = () => setChange(null);
  const offered = changesAt(campaign.status).filter((each) => may(buttons[each].needs));
  const canIssue = campaign.status === 'active' || campaign.status === 'scheduled';
  return (
    <>
      {canIssue && may('JobCreate') && (
        <Button
          renderRoot={(props) => (
            <Link
              {...props}
              to="/p/$clientId/lists/new"
              params={{ clientId: String(clientId) }}
              search={{ campaign: campaign.campaign_id }}
            />
          )}
        >
          New bulk award
        </Button>
      )}
      {offered.map((each) => (
        <Button key={each} variant="default" c={buttons[each].color} onClick={() => setChange(each)}>
          {buttons[each].label}
        </Button>
      ))}
      {may('DraftCopy') && (
        <Button variant="default" loading={duplicate.isPending} onClick={() => duplicate.mutate(campaign.campaign_id)}>
          Duplicate
        </Button>
      )}
      {change === 'issue' && <IssueDialog onClose={close} clientId={clientId} campaign={campaign} />}
      {change === 'limits' && <LimitsDialog onClose={close} clientId={clientId} campaign={campaign} />}
      {(['pause', 'resume', 'stop'] as const).map((each) => (
        <StatusDialog
          key={each}
          isOutdated={change === each && !changesAt(campaign.status).includes(each)}
          change={statusChanges[each]}
          isOpen={change === each}
          onClose={close}
          {...{ clientId, campaign }}
        />
      ))}
    </>
  );
}

interface StatusDialogProps extends ActionsProps {
  change: StatusChange;
  isOpen: boolean;
  /** A colleague changed the campaign while the dialog was open, so that this change is no longer possible. */
  isOutdated: boolean;
  onClose(): void;
}

function StatusDialog({ change, isOpen, isOutdated, onClose, clientId, campaign }: StatusDialogProps) {
  const { operation, title, action, consequence } = change;
  const send = useChange('campaign');
  const onConfirm = async (reason: string) => {
    const named = { client_id: clientId, campaign_id: campaign.campaign_id };
    await send(operation, { ...named, reason });
    if (operation === 'CampaignStop') return;
    // The service accepts the request for an ended campaign without effect, so check. If the check fails, the request
    // still counts.
    const status = await call('CampaignGet', named).then(
      (now) => now.status,
      () => null,
    );
    if (status && changesAt(status).length === 0)
      throw new Error(`The campaign is already ${status}. Nothing was changed.`);
  };
  return (
    <ChangeDialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      action={action}
      isDangerous={operation === 'CampaignStop'}
      isOutdated={isOutdated}
      onConfirm={onConfirm}
    >
      <Text size="sm">
        <b>{campaign.name}</b>
        {isOutdated ? ` is now ${campaign.status}.` : `: ${consequence(campaign)}`}
      </Text>
    </ChangeDialog>
  );
}
