import type { Confirmation } from '@freebets/contract';
import { scopeWords } from '../staff/scope.tsx';

// What a request asks for, in words. The fields of the request are shown below the title, so that nothing is left out.

interface PersonFields {
  email?: string;
  name?: string;
  role?: string;
  partners?: number[] | null;
}

/** JSON from the server, with the schema of the operation. */
type Fields = PersonFields & { sandbox?: boolean; client_id?: number; provider_id?: string };

const rightsText = ({ role, partners }: PersonFields): string => `${role} of ${scopeWords(partners ?? null)}`;

export function titleOf({ operation, request, before: was }: Confirmation): string {
  const asked = request as Fields;
  const before = (was ?? {}) as PersonFields;
  const after = { ...before, ...asked };
  switch (operation) {
    case 'StaffInvite':
      return was === null
        ? `Invite ${after.name} (${after.email}) as ${rightsText(after)}`
        : `New invitation link for ${after.name} (${after.email}), ${rightsText(after)}`;
    case 'StaffUpdate':
      return `Change ${before.name} (${before.email}) from ${rightsText(before)} to ${rightsText(after)}`;
    case 'StaffEnable':
      return `Enable ${before.name} (${before.email}), ${rightsText(before)}`;
    case 'StaffResetSecondFactor':
      return `Reset the second factor of ${before.name} (${before.email}), ${rightsText(before)}`;
    case 'PartnerCreate':
      return `Create the ${asked.sandbox ? 'sandbox ' : ''}partner ${asked.name}, and see its secret`;
    case 'ProviderCreate':
      return `Create the provider ${asked.name}, and see its secret`;
    case 'PartnerRotateSecret':
      return `New secret for partner ${asked.client_id} (${before.name})`;
    case 'ProviderRotateSecret':
      return `New secret for provider ${asked.provider_id} (${before.name})`;
    case 'PartnerUpdate':
      return `Partner ${asked.client_id} (${before.name}): won free bets pay the stake as well`;
  }
}

/** Fields that the title shows, or that only say which state the requester had read. */
const hiddenFields = ['as_read', 'secrets_version', 'staff_id', 'client_id', 'provider_id'];

const valueText = (field: string, value: unknown): string => {
  if (value === null) return field === 'partners' ? 'all' : 'any';
  if (Array.isArray(value)) return value.join(', ') || 'none';
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
};

export const fieldsOf = ({ request }: Confirmation): [string, string][] =>
  Object.entries(request)
    .filter(([field]) => !hiddenFields.includes(field))
    .map(([field, value]) => [field.replaceAll('_', ' '), valueText(field, value)]);
