import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { numberIn } from './address-id.ts';
import { partnersToChoose } from './partner-select.tsx';

// Whose figures a screen shows: those of one partner, or of all that the person sees. Over all of them sandboxes are left out, for
// their bets are nobody's money; where there is nothing but sandboxes, they are what one came to see.

export interface Reach {
  /** While it is not known what there is to see. */
  isPending: boolean;
  /** The one that was chosen, or the only one there is. */
  clientId: number | undefined;
  /** What the server is asked. */
  asked: { client_id: number } | { sandboxes: true } | Record<string, never>;
  withSandboxes: boolean;
  /** Whether there is anything to choose. */
  canChoose: boolean;
}

export function useReach({ partner, sandboxes }: { partner?: string; sandboxes?: string }): Reach {
  const { data } = useQuery(partnersToChoose());
  const known = data?.partners ?? [];
  const isAll = data?.next_cursor === null;
  const only = isAll && known.length === 1 ? known[0]?.client_id : undefined;
  const clientId = numberIn(partner) ?? only;
  const areAllSandboxes = isAll && known.every(({ sandbox }) => sandbox);
  const withSandboxes = sandboxes === 'yes' || (sandboxes !== 'no' && areAllSandboxes);
  return {
    isPending: clientId === undefined && data === undefined,
    clientId,
    asked: clientId !== undefined ? { client_id: clientId } : withSandboxes ? { sandboxes: true } : {},
    withSandboxes,
    canChoose: clientId === undefined && !areAllSandboxes && (!isAll || known.some(({ sandbox }) => sandbox)),
  };
}

/** Stands in the address as `sandboxes`. */
export const SandboxSwitch = ({ reach, onChange }: { reach: Reach; onChange(sandboxes: 'yes' | 'no'): void }) =>
  reach.canChoose && (
    <Switch
      label="With sandboxes"
      checked={reach.withSandboxes}
      onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'yes' : 'no')}
    />
  );
