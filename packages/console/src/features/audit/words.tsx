import type { AuditRecord } from '@freebets/contract';
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/session.ts';
import { idInPath } from '../../ui/address.ts';

// A record in words, and where what it is about can be seen.

/** What somebody did, as one would say it. */
const said: Record<string, string> = {
  SignIn: 'Sign in',
  SignOut: 'Sign out',
  SessionEnd: 'End own sessions',
  PasswordChange: 'Change own password',
  SecondFactorBegin: 'Begin a second factor',
  SecondFactorConfirm: 'Set up a second factor',
  RecoveryCodes: 'Make recovery codes',
  InvitationAccept: 'Accept an invitation',
  StaffInvite: 'Invite somebody',
  StaffUpdate: 'Change role or partners',
  StaffDisable: 'Shut somebody out',
  StaffEnable: 'Let somebody in again',
  StaffResetSecondFactor: 'Reset a second factor',
  StaffEndSessions: 'End sessions of somebody',
  StaffReview: 'Save the access review',
  PartnerCreate: 'Create a partner',
  PartnerUpdate: 'Change a partner',
  PartnerOffer: 'Change an offer',
  PartnerDisable: 'Disable a partner',
  PartnerEnable: 'Enable a partner',
  PartnerRotateSecret: 'New secret of a partner',
  PartnerRetireSecret: 'Retire a secret of a partner',
  ProviderCreate: 'Create a provider',
  ProviderUpdate: 'Change a provider',
  ProviderDisable: 'Disable a provider',
  ProviderEnable: 'Enable a provider',
  ProviderRotateSecret: 'New secret of a provider',
  ProviderRetireSecret: 'Retire a secret of a provider',
  CatalogueImport: 'Import the catalogue',
  CatalogueExport: 'Save the catalogue',
  WebhookSet: 'Set a webhook',
  WebhookOff: 'Turn a webhook off',
  WebhookRemove: 'Remove a webhook',
  DeliveryResend: 'Send events again',
  ReportExport: 'Save a report',
  AuditExport: 'Save the record',
  DraftSave: 'Save a draft',
  DraftCopy: 'Copy a campaign',
  DraftDiscard: 'Discard a draft',
  DraftSubmit: 'Submit a draft',
  DraftApprove: 'Approve a draft',
  DraftRefuse: 'Refuse a draft',
  ConfirmationRequest: 'Ask for a second admin',
  ConfirmationConfirm: 'Confirm a request',
  ConfirmationRefuse: 'Refuse a request',
  ConfirmationWithdraw: 'Withdraw a request',
  StaffConfirm: 'Confirm a person',
  CampaignCreate: 'Create a campaign',
  CampaignStop: 'Stop a campaign',
  CampaignPause: 'Pause a campaign',
  CampaignResume: 'Resume a campaign',
  CampaignLimits: 'Change limits',
  Issue: 'Give a free bet',
  Cancel: 'Cancel a free bet',
  CancelBatch: 'Cancel free bets',
  JobCreate: 'Begin a list',
  JobAdd: 'Add to a list',
  JobStart: 'Start a list',
  JobRetry: 'Retry a list',
  JobStop: 'Stop a list',
  SandboxClockSet: 'Set a sandbox clock',
  SandboxRound: 'Play a round',
};

/** Others as they are called: `PartnerMove` as "Partner move". */
export const actionText = (action: string): string => {
  const [first = '', ...rest] = action.split(/(?=[A-Z])/);
  return said[action] ?? [first, ...rest.map((word) => word.toLowerCase())].join(' ');
};

interface StaffActor {
  kind: string;
  staff_id?: string;
  email?: string;
  role?: string;
}

export const actorOf = ({ actor }: AuditRecord): StaffActor => actor;

export function actorText(record: AuditRecord): string {
  const { kind, email } = actorOf(record);
  if (kind === 'cli') return 'the terminal';
  if (kind === 'unknown') return email ? `somebody as ${email}` : 'somebody unknown';
  return email ?? kind;
}

const targetText = ({ target: { kind, id } }: AuditRecord): string =>
  `${kind.replaceAll('_', ' ')}${id === '' ? '' : ` ${id}`}`;

/** Where a thing of this kind is shown. */
const screens: Record<string, (id: string, clientId: number | null) => string> = {
  partner: (id) => `/partners/${id}`,
  webhook: (_, clientId) => `/partners/${clientId}`,
  sandbox_clock: (_, clientId) => `/p/${clientId}/clock`,
  provider: (id) => `/providers/${id}`,
  campaign: (id, clientId) => `/p/${clientId}/campaigns/${idInPath(id)}`,
  free_bet: (id, clientId) => `/p/${clientId}/free-bets/${id}`,
  job: (id, clientId) => `/p/${clientId}/lists/${id}`,
  draft: (id, clientId) => `/p/${clientId}/drafts/${id}`,
  confirmation: () => '/approvals',
  catalogue: () => '/games',
  report: () => '/reports',
};

export function TargetLink({ record }: { record: AuditRecord }) {
  const may = useMay();
  const { kind, id } = record.target;
  const ofStaff = kind === 'staff' && id !== '' && may('StaffList') ? `/staff/${id}` : undefined;
  const to = ofStaff ?? screens[kind]?.(id, record.client_id);
  if (to === undefined) return targetText(record);
  return (
    <Anchor component={Link} to={to} size="sm">
      {targetText(record)}
    </Anchor>
  );
}
