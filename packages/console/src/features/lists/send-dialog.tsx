import type { CampaignGetResponse, JobBody } from '@freebets/contract';
import { Progress, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useReadAgain } from '../../api/dry-run.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { count, MoneyList } from '../../ui/money.tsx';
import { exactText } from '../../ui/time.tsx';
import { costOfList } from '../campaigns/cost.ts';
import { useStakeReturned } from '../campaigns/stake-returned.ts';
import type { CheckedList } from './check-list.ts';
import { sendList } from './send-list.ts';

interface SendProps {
  clientId: number;
  campaign: CampaignGetResponse;
  checked: CheckedList;
  jobId: string;
  /** What was sent of it before. */
  begun: JobBody | undefined;
  fileName: string;
  onClose(): void;
}

/** Sends a list in parts and starts it. Broken off, it goes on with the next attempt: parts that are there are not doubled. */
export function SendDialog({ clientId, campaign, checked, jobId, begun, fileName, onClose }: SendProps) {
  const [name, setName] = useState(begun?.name ?? `${campaign.name}: ${fileName}`.slice(0, 255));
  const [start, setStart] = useState('');
  const [sent, setSent] = useState<number | null>(null);
  const ended = useRef<AbortController>(null);
  const navigate = useNavigate();
  const readAgain = useReadAgain();
  const { items } = checked;
  const startAt = begun ? begun.start_at : start === '' ? null : new Date(start).toISOString();
  const send = async (reason: string) => {
    ended.current = new AbortController();
    const { signal } = ended.current;
    const job = {
      client_id: clientId,
      job_id: jobId,
      campaign_id: campaign.campaign_id,
      name,
      ...(startAt !== null && { start_at: startAt }),
    };
    await sendList({ job, items, reason, signal, onSent: (progress) => setSent(progress.items) });
    await readAgain('JobList', 'JobGet');
    await navigate({ to: `/p/${clientId}/lists/${jobId}` });
  };
  return (
    <ChangeDialog
      isOpen
      onClose={() => {
        ended.current?.abort();
        onClose();
      }}
      title={`Give ${count(items.length)} free bets`}
      action="Give the free bets"
      isBlocked={name.trim() === ''}
      carryOut={send}
    >
      <Text size="sm">
        {count(items.length)} {items.length === 1 ? 'player gets' : 'players get'} a free bet of {campaign.name}.
        {checked.repeated.length > 0 &&
          ` ${count(checked.repeated.length)} of them ${checked.repeated.length === 1 ? 'is a duplicate' : 'are duplicates'}.`}
        {checked.wrong.length > 0 &&
          ` ${count(checked.wrong.length)} wrong ${checked.wrong.length === 1 ? 'line is' : 'lines are'} left out.`}
      </Text>
      <CostOf {...{ clientId, campaign, checked }} />
      <TextInput
        label="Name of the list"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={255}
        disabled={begun !== undefined}
        required
      />
      <TextInput
        label="Begin later"
        description={startAt === null ? 'In your time. Empty: at once.' : exactText(startAt)}
        type="datetime-local"
        value={start}
        onChange={(event) => setStart(event.currentTarget.value)}
        disabled={begun !== undefined}
      />
      {sent !== null && <SentSoFar sent={sent} items={items.length} />}
    </ChangeDialog>
  );
}

function CostOf({ clientId, campaign, checked }: Pick<SendProps, 'clientId' | 'campaign' | 'checked'>) {
  const costs = costOfList(campaign, checked.perCurrency, useStakeReturned(clientId));
  return (
    <Text size="sm" component="div">
      The most it can cost:
      <Text fw={600} component="div">
        <MoneyList amounts={costs.map(({ currency, won }) => ({ currency, amount: won }))} most={6} />
      </Text>
    </Text>
  );
}

const SentSoFar = ({ sent, items }: { sent: number; items: number }) => (
  <div>
    <Text size="sm" className="figure">
      {count(sent)} of {count(items)} sent
    </Text>
    <Progress value={(sent / items) * 100} aria-label="Sent" />
  </div>
);
