import type { JobBody, RequestOf } from '@freebets/contract';
import { Alert, Progress, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { DateField } from '../../ui/fields.tsx';
import { count, MoneyList } from '../../ui/figures.tsx';
import { exactText } from '../../ui/time.tsx';
import { cut } from '../../ui/words.ts';
import { costOfList } from '../campaigns/cost.ts';
import { useStakeReturned } from '../campaigns/terms.tsx';
import { plainError } from '../drafts/words.tsx';
import { SandboxTime, usePartnerNow } from '../sandbox/partner-time.tsx';
import type { CheckedList, Promised } from './check-list.ts';
import { freeBetsText, type ListTerms, playersText, usePromised } from './list-terms.tsx';
import { sendList } from './send-list.ts';

interface SendProps {
  clientId: number;
  terms: ListTerms & { request: NonNullable<ListTerms['request']> };
  checked: CheckedList;
  jobId: string;
  /** The bulk award, if a part of it was uploaded before. */
  begun: JobBody | undefined;
  fileName: string;
  isCovered: boolean;
  onClose(): void;
}

/**
 * Uploads a list in parts and starts the bulk award. A later attempt continues an interrupted upload without
 * duplicates.
 */
export function SendDialog({ clientId, terms, checked, jobId, begun, fileName, isCovered, onClose }: SendProps) {
  const form = useForm({
    initialValues: { name: begun?.name ?? cut(`${terms.name}: ${fileName}`, 255), start: '' },
  });
  const { name, start } = form.values;
  const [sent, setSent] = useState<number | null>(null);
  const ended = useRef<AbortController>(null);
  // Leaving the screen stops the upload.
  useEffect(() => () => ended.current?.abort(), []);
  const navigate = useNavigate();
  const promised = usePromised(terms, checked);
  const isOwn = terms.campaign === null;
  const startAt = begun ? begun.start_at : start === '' ? null : new Date(start).toISOString();
  const now = usePartnerNow(clientId);
  const hasPassed = start !== '' && Date.parse(start) <= now;
  const send = async (reason: string) => {
    ended.current = new AbortController();
    const { signal } = ended.current;
    const job: RequestOf<'JobCreate'> = {
      client_id: clientId,
      job_id: jobId,
      ...terms.request,
      name,
      ...(startAt !== null && { start_at: startAt }),
    };
    await sendList({ job, items: checked.items, reason, signal, onSent: (progress) => setSent(progress.items) });
    // The draft has the same ID as the job.
    await navigate({ to: `/p/${clientId}/${isOwn ? 'drafts' : 'lists'}/${jobId}`, ignoreBlocker: true });
  };
  return (
    <ChangeDialog
      isOpen
      onClose={() => {
        ended.current?.abort();
        onClose();
      }}
      title={`Issue ${freeBetsText(promised.freeBets)}`}
      action={isOwn ? 'Upload and submit' : 'Issue free bets'}
      isBlocked={name.trim() === '' || hasPassed}
      isStoppable
      isCovered={isCovered}
      onConfirm={(reason) => send(reason).catch((error) => Promise.reject(plainError(error)))}
    >
      <Recipients {...{ terms, checked, promised }} />
      <CostOf {...{ clientId, terms, promised }} />
      {isOwn && (
        <Text size="sm">
          Within your limit the bulk award starts after the upload. Above it, a colleague must approve it.
        </Text>
      )}
      <TextInput
        label="Name of the bulk award"
        {...form.getInputProps('name')}
        maxLength={255}
        disabled={begun !== undefined}
        required
      />
      <DateField
        label="Start later"
        description={startAt === null ? 'In your time zone. Empty: now.' : exactText(startAt)}
        type="datetime-local"
        {...form.getInputProps('start')}
        disabled={begun !== undefined}
      />
      {start !== '' && <SandboxTime clientId={clientId} />}
      {hasPassed && <Alert color="orange">This time has passed. Choose a later one or none to start now.</Alert>}
      {sent !== null && <SentSoFar sent={sent} items={checked.items.length} />}
    </ChangeDialog>
  );
}

interface PromiseProps extends Pick<SendProps, 'terms' | 'checked'> {
  promised: Promised;
}

const Recipients = ({ terms, checked, promised: { freeBets } }: PromiseProps) => {
  const refused = checked.items.length - freeBets;
  return (
    <Text size="sm">
      {refused > 0 ? `At most ${count(freeBets)} of the ` : ''}
      {freeBetsText(checked.items.length)} for {playersText(checked)},{' '}
      {terms.campaign === null ? 'with their own terms' : `from ${terms.name}`}.
      {refused > 0 && ` The campaign’s caps refuse the other ${count(refused)}.`}
      {checked.repeated.length > 0 &&
        ` ${count(checked.repeated.length)} of them ${checked.repeated.length === 1 ? 'is a duplicate' : 'are duplicates'}.`}
      {checked.wrong.length > 0 &&
        ` ${count(checked.wrong.length)} invalid ${checked.wrong.length === 1 ? 'line is' : 'lines are'} left out.`}
    </Text>
  );
};

function CostOf({ clientId, terms, promised }: Pick<SendProps, 'clientId' | 'terms'> & { promised: Promised }) {
  const costs = costOfList(terms, promised.alike, useStakeReturned(clientId, terms.campaign));
  return (
    <Text size="sm" component="div">
      Maximum liability:
      <Text fw={600} component="div">
        <MoneyList amounts={costs.map(({ currency, won }) => ({ currency, amount: won }))} most={6} />
      </Text>
    </Text>
  );
}

const SentSoFar = ({ sent, items }: { sent: number; items: number }) => (
  <div>
    <Text size="sm" className="figure">
      {count(sent)} of {count(items)} uploaded
    </Text>
    <Progress value={(sent / items) * 100} aria-label="Uploaded" />
  </div>
);
