import type { AuditRecord } from '@freebets/contract';
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/session.ts';
import { idInPath } from '../../ui/address.ts';

// The words for actions, actors and targets in the audit log, and the screens of targets.

const actionLabels: Record<string, string> = {
  SignIn: 'Sign in',
  SignOut: 'Sign out',
  SessionEnd: 'End own sessions',
  PasswordChange: 'Change own password',
  SecondFactorBegin: 'Begin second factor setup',
  SecondFactorConfirm: 'Set up a second factor',
  RecoveryCodes: 'Create recovery codes',
  InvitationAccept: 'Accept an invitation',
  StaffInvite: 'Invite a user',
  StaffUpdate: 'Change role or partners',
  StaffDisable: 'Disable a user',
  StaffEnable: 'Enable a user',
  StaffResetSecondFactor: 'Reset a second factor',
  StaffEndSessions: 'End sessions of a user',
  StaffReview: 'Export the access review',
  PartnerCreate: 'Create a partner',
  PartnerUpdate: 'Change a partner',
  PartnerOffer: 'Change an offer',
  PartnerDisable: 'Disable a partner',
  PartnerEnable: 'Enable a partner',
  PartnerRotateSecret: 'Rotate a partner secret',
  PartnerRetireSecret: 'Retire a partner secret',
  ProviderCreate: 'Create a game provider',
  ProviderUpdate: 'Change a game provider',
  ProviderDisable: 'Disable a game provider',
  ProviderEnable: 'Enable a game provider',
  ProviderRotateSecret: 'Rotate a game provider secret',
  ProviderRetireSecret: 'Retire a game provider secret',
  CatalogueImport: 'Import the catalogue',
  CatalogueExport: 'Export the catalogue',
  WebhookSet: 'Set a webhook',
  WebhookOff: 'Turn a webhook off',
  WebhookRemove: 'Remove a webhook',
  DeliveryResend: 'Resend events',
  ReportExport: 'Export a report',
  AuditExport: 'Export the audit log',
  DraftSave: 'Save a draft',
  DraftCopy: 'Copy a campaign',
  DraftDiscard: 'Discard a draft',
  DraftSubmit: 'Submit a draft',
  DraftApprove: 'Approve a draft',
  DraftRefuse: 'Reject a draft',
  ConfirmationRequest: 'Request a second admin',
  ConfirmationConfirm: 'Confirm a request',
  ConfirmationRefuse: 'Reject a request',
  ConfirmationWithdraw: 'Withdraw a request',
  StaffConfirm: 'Confirm a user',
  CampaignCreate: 'Create a campaign',
  CampaignStop: 'Stop a campaign',
  CampaignPause: 'Pause a campaign',
  CampaignResume: 'Resume a campaign',
  CampaignLimits: 'Change caps',
  Issue: 'Issue a free bet',
  Cancel: 'Cancel a free bet',
  CancelBatch: 'Cancel free bets',
  JobCreate: 'Create a bulk award',
  JobAdd: 'Upload players of a bulk award',
  JobStart: 'Start a bulk award',
  JobRetry: 'Retry a bulk award',
  JobStop: 'Stop a bulk award',
  SandboxClockSet: 'Set a sandbox clock',
  SandboxRound: 'Play a sandbox round',
};

/** Actions without a label become words: `PartnerMove` is "Partner move". */
export const actionText = (action: string): string => {
  const [first = '', ...rest] = action.split(/(?=[A-Z])/);
  return actionLabels[action] ?? [first, ...rest.map((word) => word.toLowerCase())].join(' ');
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
  if (kind === 'cli') return 'command line';
  if (kind === 'unknown') return email ? `unknown, as ${email}` : 'unknown';
  return email ?? kind;
}

const kindLabels: Record<string, string> = { job: 'bulk award', provider: 'game provider', audit: 'audit log' };

export const kindText = (kind: string): string => kindLabels[kind] ?? kind.replaceAll('_', ' ');

const targetText = ({ target: { kind, id } }: AuditRecord): string => `${kindText(kind)}${id === '' ? '' : ` ${id}`}`;

/** The screen of each kind of target. */
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
