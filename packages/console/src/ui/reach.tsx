import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { numberIn } from './address-id.ts';
import { partnersToChoose } from './partner-select.tsx';

// Whose figures a screen shows: those of one partner, of all real partners in scope, or of all sandboxes in scope. The money of a sandbox
// is not real, so the two are never added up. Without a choice these are the real partners; the sandboxes if there are no others.

export interface Reach {
  /** While it is not known what there is to see. */
  isPending: boolean;
  /** The one that was chosen, or the only one there is. */
  clientId: number | undefined;
  /** What the server is asked. */
  asked: { client_id: number } | { sandboxes: true } | Record<string, never>;
  /** Whether the screen shows sandboxes. With a single partner, this depends on the partner. */
  areSandboxes: boolean;
  /** Whether there are both kinds to choose from. */
  canChoose: boolean;
}

export function useReach({ partner, sandboxes }: { partner?: string; sandboxes?: string }): Reach {
  const { data } = useQuery(partnersToChoose());
  const known = data?.partners ?? [];
  const isAll = data?.next_cursor === null;
  const only = isAll && known.length === 1 ? known[0]?.client_id : undefined;
  const clientId = numberIn(partner) ?? only;
  const areAllSandboxes = isAll && known.every(({ sandbox }) => sandbox);
  const areSandboxes = sandboxes === 'yes' || (sandboxes !== 'no' && areAllSandboxes);
  return {
    isPending: clientId === undefined && data === undefined,
    clientId,
    asked: clientId !== undefined ? { client_id: clientId } : areSandboxes ? { sandboxes: true } : {},
    areSandboxes,
    canChoose: clientId === undefined && !areAllSandboxes && (!isAll || known.some(({ sandbox }) => sandbox)),
  };
}

/** Stands in the address as `sandboxes`. */
export const SandboxChoice = ({ reach, onChange }: { reach: Reach; onChange(sandboxes: 'yes' | 'no'): void }) =>
  reach.canChoose && (
    <SegmentedControl
      size="xs"
      aria-label="Which partners"
      data={[
        { value: 'no', label: 'Real partners' },
        { value: 'yes', label: 'Sandboxes' },
      ]}
      value={reach.areSandboxes ? 'yes' : 'no'}
      onChange={(value) => onChange(value === 'yes' ? 'yes' : 'no')}
    />
  );
