import { Alert, Button, Group, Stack, Switch } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useRef, useState } from 'react';
import { CallError, type CallResponse, call } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { ChangeDialog, Consequences, LeaveQuestion } from '../../ui/change-dialog.tsx';
import { WholeNumberInput } from '../../ui/fields.tsx';
import { useLeaveGuard, useUnsavedWork } from '../../ui/leave-guard.tsx';
import { AnchorLink, Details, Page } from '../../ui/page.tsx';
import { type Access, AccessFields } from '../callers/caller.tsx';
import { SecretShown } from '../callers/secrets.tsx';
import { OfferField, type Settings, SettingsFields } from './settings.tsx';

interface Given extends Settings, Access {
  id: number | string;
  offers: string[];
  sandbox: boolean;
}

const nothing: Given = {
  name: '',
  id: '',
  offers: [],
  stake_returned: false,
  sandbox: false,
  signing: 'plain',
  allow_from: null,
};

export function NewPartner() {
  const form = useForm({ initialValues: nothing });
  const given = form.values;
  const [isAsking, setIsAsking] = useState(false);
  const [isMaking, setIsMaking] = useState(false);
  const [made, setMade] = useState<CallResponse<'PartnerCreate'>>();
  /** Kept between attempts: a partner whose response was lost may exist, and must not be created twice. */
  const chosenId = useRef<number>(undefined);
  const navigate = useNavigate();
  const isBegun = form.isDirty() && made === undefined;
  useUnsavedWork(isBegun);
  const leaving = useLeaveGuard({ isActive: isBegun });
  return (
    <Page title="New partner" about="A casino or sportsbook that offers free bets to its players.">
      <LeaveQuestion leaving={leaving} isUnderWay={isMaking} title="Leave without creating it?" />
      <form onSubmit={form.onSubmit(() => setIsAsking(true))}>
        <Stack maw={560}>
          <Fields form={form} />
          <Group>
            <Button type="submit" disabled={given.name.trim() === ''}>
              Create partner…
            </Button>
          </Group>
        </Stack>
      </form>
      {isAsking && (
        <CreateDialog
          {...{ given, chosenId }}
          isCovered={leaving.status === 'blocked'}
          onMaking={setIsMaking}
          onMade={setMade}
          onClose={() => setIsAsking(false)}
        />
      )}
      {made && (
        <SecretShown
          name={made.name}
          secret={made.secret}
          onDone={() => void navigate({ to: `/partners/${made.client_id}` })}
        >
          Its client_id is {made.client_id}.
        </SecretShown>
      )}
    </Page>
  );
}

const Fields = ({ form }: { form: UseFormReturnType<Given> }) => (
  <>
    <Details title="Settings">
      <SettingsFields form={form} />
      <WholeNumberInput
        label="client_id"
        description="Permanent. Empty: the next free number."
        {...form.getInputProps('id')}
        min={1}
        max={2_147_483_647}
        w={240}
      />
      <Switch
        label="Sandbox"
        description="For testing, with a clock that you can move forward. Permanent."
        {...form.getInputProps('sandbox', { type: 'checkbox' })}
      />
    </Details>
    <Details title="Game providers">
      <OfferField offers={form.values.offers} onChange={(offers) => form.setFieldValue('offers', offers)} />
    </Details>
    <Details title="API access">
      <AccessFields access={form.values} onChange={form.setValues} />
    </Details>
  </>
);

interface CreateDialogProps {
  given: Given;
  chosenId: RefObject<number | undefined>;
  isCovered: boolean;
  onMaking(isMaking: boolean): void;
  onMade(partner: CallResponse<'PartnerCreate'>): void;
  onClose(): void;
}

const freeId = async (): Promise<number | undefined> =>
  (await call('PartnerList', { limit: 1 })).free_client_id ?? undefined;

function CreateDialog({ given, chosenId, isCovered, onMaking, onMade, onClose }: CreateDialogProps) {
  const [takenId, setTakenId] = useState<number>();
  const change = useChange('partner');
  const { name: words, id: typedId, ...rest } = given;
  const name = words.trim();
  const create = async (reason: string) => {
    if (typedId === '') chosenId.current ??= await freeId();
    const id = typedId === '' ? chosenId.current : Number(typedId);
    onMaking(true);
    try {
      onMade(await change('PartnerCreate', { ...rest, name, ...(id !== undefined && { id }), reason }));
    } catch (error) {
      if (error instanceof CallError && error.error === 'already_exists') {
        setTakenId(id);
        if (typedId === '') chosenId.current = undefined;
      }
      throw error;
    } finally {
      onMaking(false);
    }
  };
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Create ${name}`}
      action="Create partner"
      isBlocked={takenId !== undefined}
      isCovered={isCovered}
      onConfirm={create}
    >
      <Consequences
        sentences={[
          `${name} can call the API ${given.allow_from === null ? 'from any address' : `from ${given.allow_from.join(', ')}`} with ${given.signing} signing.`,
          given.offers.length === 0
            ? 'It has no games yet.'
            : `It can use the games of ${given.offers.length} game ${given.offers.length === 1 ? 'provider' : 'providers'}.`,
          given.sandbox && 'It is a sandbox permanently.',
          'Its secret is shown once, to you.',
        ]}
      />
      {takenId !== undefined && <Taken id={takenId} />}
    </ChangeDialog>
  );
}

const Taken = ({ id }: { id: number }) => (
  <Alert color="orange" variant="light" title={`Partner ${id} already exists`}>
    If it is this partner, created when the response was lost,{' '}
    <AnchorLink to="/partners/$clientId" params={{ clientId: String(id) }} ignoreBlocker size="sm" underline="always">
      open it
    </AnchorLink>{' '}
    and rotate its secret. If not, close this dialog and enter another client_id, or leave it empty.
  </Alert>
);
