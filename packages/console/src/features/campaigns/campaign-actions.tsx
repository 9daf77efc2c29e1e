import type { CampaignGetResponse } from '@freebets/contract';
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type CallName, call } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { count } from '../../ui/figures.tsx';
import { GiveDialog } from '../players/give-dialog.tsx';
import { useDuplicate } from './campaigns.tsx';
import { LimitsDialog } from './limits.tsx';

type Change = 'pause' | 'resume' | 'stop' | 'limits' | 'issue';

interface Turn {
  operation: 'CampaignPause' | 'CampaignResume' | 'CampaignStop';
  title: string;
  action: string;
  says(campaign: CampaignGetResponse): string;
}

const openOf = ({ counts }: CampaignGetResponse): string =>
  count(counts.issued - counts.cancelled - counts.expired - counts.finished);

function leftOf({ config: { bonus_limit }, counts }: CampaignGetResponse): string {
  if (bonus_limit === null) return 'without a limit';
  const left = Math.max(0, bonus_limit - counts.issued + counts.cancelled);
  return `${count(left)} more at most`;
}

const turns: Record<'pause' | 'resume' | 'stop', Turn> = {
  pause: {
    operation: 'CampaignPause',
    title: 'Pause the campaign',
    action: 'Pause it',
    says: (campaign) =>
      `No free bet is given until it is resumed; lists wait. The ${openOf(campaign)} that are open stay valid and can be used.`,
  },
  resume: {
    operation: 'CampaignResume',
    title: 'Resume the campaign',
    action: 'Resume it',
    says: (campaign) =>
      `Free bets are given again from this moment on, ${leftOf(campaign)}, and lists that wait go on.`,
  },
  stop: {
    operation: 'CampaignStop',
    title: 'Stop the campaign for good',
    action: 'Stop it for good',
    says: (campaign) =>
      `No free bet is given any more, and it cannot be started again. The ${openOf(campaign)} that are open stay valid and can ` +
      'be used. Lists that are under way are refused from here on.',
  },
};

const changesAt = (status: CampaignGetResponse['status']): Change[] => {
  if (status === 'ended' || status === 'stopped') return [];
  return ['issue', 'limits', status === 'paused' ? 'resume' : 'pause', 'stop'];
};

const buttons: Record<Change, { label: string; needs: CallName; color?: string }> = {
  issue: { label: 'Issue to a player', needs: 'Issue' },
  limits: { label: 'Change limits', needs: 'CampaignLimits' },
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
  const isGiving = campaign.status === 'active' || campaign.status === 'scheduled';
  return (
    <>
      {isGiving && may('JobCreate') && (
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
          Issue to a list
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
      {change === 'issue' && <GiveDialog onClose={close} clientId={clientId} campaign={campaign} />}
      {change === 'limits' && <LimitsDialog onClose={close} clientId={clientId} campaign={campaign} />}
      {(['pause', 'resume', 'stop'] as const).map((each) => (
        <TurnDialog
          key={each}
          isOutdated={change === each && !changesAt(campaign.status).includes(each)}
          turn={turns[each]}
          isOpen={change === each}
          onClose={close}
          {...{ clientId, campaign }}
        />
      ))}
    </>
  );
}

interface TurnProps extends ActionsProps {
  turn: Turn;
  isOpen: boolean;
  /** Where a colleague has done something meanwhile, after which it cannot be done any more. */
  isOutdated: boolean;
  onClose(): void;
}

function TurnDialog({ turn, isOpen, isOutdated, onClose, clientId, campaign }: TurnProps) {
  const change = useChange('campaign');
  const carryOut = async (reason: string) => {
    const named = { client_id: clientId, campaign_id: campaign.campaign_id };
    await change(turn.operation, { ...named, reason });
    if (turn.operation === 'CampaignStop') return;
    // Of one that is over nothing is changed, and that is no refusal. Where it cannot be read, it was accepted all the same.
    const status = await call('CampaignGet', named).then(
      (now) => now.status,
      () => null,
    );
    if (status && changesAt(status).length === 0) throw new Error(`The campaign is ${status} by now, and stays so.`);
  };
  return (
    <ChangeDialog
      isOpen={isOpen}
      onClose={onClose}
      title={turn.title}
      action={turn.action}
      isDangerous={turn.operation === 'CampaignStop'}
      isOutdated={isOutdated}
      carryOut={carryOut}
    >
      <Text size="sm">
        <b>{campaign.name}</b>
        {isOutdated ? ` is ${campaign.status} now.` : `: ${turn.says(campaign)}`}
      </Text>
    </ChangeDialog>
  );
}
