import { Alert, Badge, FileInput, List, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type CallRequest, type CallResponse, call } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count } from '../../ui/figures.tsx';

type Catalogue = CallRequest<'CatalogueDiff'>['catalogue'];
type Diff = CallResponse<'CatalogueDiff'>;

/** Shows what the chosen file would change before it replaces the catalogue. */
export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [file, setFile] = useState<File | null>(null);
  const resetInput = useRef<() => void>(null);
  const choose = (chosen: File | null) => {
    setFile(chosen);
    // Browsers fire no event if the same file is chosen again, even if its content changed.
    resetInput.current?.();
  };
  const change = useChange('catalogue');
  const compared = useQuery({
    queryKey: ['CatalogueDiff', file?.name, file?.size, file?.lastModified],
    queryFn: ({ signal }) => compare(file as File, signal),
    enabled: file !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const close = () => {
    setFile(null);
    onClose();
  };
  const chooser = (
    <FileInput
      label="Catalogue file"
      description="JSON in the format of the export. Games that are not in the file are withdrawn."
      placeholder="Choose a file"
      accept="application/json,.json"
      value={file}
      onChange={choose}
      resetRef={resetInput}
      clearable
      clearButtonProps={{ 'aria-label': 'Remove file' }}
    />
  );
  if (!compared.data) {
    return (
      <Modal opened={isOpen} onClose={close} title="Import catalogue" centered>
        <Stack>
          {chooser}
          {file && compared.isPending && <Skeleton height={80} />}
          {compared.error && <ErrorNote error={compared.error} />}
        </Stack>
      </Modal>
    );
  }
  const { catalogue, diff } = compared.data;
  const onConfirm = async (reason: string) => {
    const { games, withdrawn } = await change('CatalogueImport', { catalogue, version: diff.version, reason });
    notifications.show({ message: `The catalogue now has ${count(games)} games; ${count(withdrawn)} were withdrawn.` });
  };
  return (
    <ChangeDialog
      isOpen={isOpen}
      onClose={close}
      title="Import catalogue"
      action={diff.withdrawn.total > 0 ? `Import and withdraw ${count(diff.withdrawn.total)}` : 'Import catalogue'}
      isDangerous={diff.withdrawn.total > 0}
      isBlocked={isUnchanged(diff)}
      onConfirm={onConfirm}
    >
      {chooser}
      <DiffOf diff={diff} />
    </ChangeDialog>
  );
}

async function compare(file: File, signal: AbortSignal): Promise<{ catalogue: Catalogue; diff: Diff }> {
  const catalogue = parsed(await file.text());
  return { catalogue, diff: await call('CatalogueDiff', { catalogue }, signal) };
}

function parsed(text: string): Catalogue {
  try {
    return JSON.parse(text) as Catalogue;
  } catch {
    throw new Error('The file is not JSON.');
  }
}

const isUnchanged = (diff: Diff): boolean =>
  [diff.added, diff.changed, diff.withdrawn, diff.providers_added, diff.providers_changed].every(
    ({ total }) => total === 0,
  ) &&
  !diff.is_reordered &&
  !diff.image_assets_changed;

function DiffOf({ diff }: { diff: Diff }) {
  if (isUnchanged(diff))
    return <Alert color="blue">The file matches the current catalogue. Nothing would change.</Alert>;
  const game = ({ title, provider }: { title: string; provider: string }) => `${title} (${provider})`;
  const fieldsOf = ({ fields }: { fields: string[] }) => fields.join(', ');
  return (
    <Stack gap="xs" role="group" aria-label="What would change">
      <Part title="New games" colour="green" {...diff.added} text={game} />
      <Part title="Changed games" colour="blue" {...diff.changed} text={(each) => `${game(each)}: ${fieldsOf(each)}`} />
      <Part title="Withdrawn games" colour="red" {...diff.withdrawn} text={game} />
      <Part title="New game providers" colour="green" {...diff.providers_added} text={({ name }) => name} />
      <Part
        title="Changed game providers"
        colour="blue"
        {...diff.providers_changed}
        text={(each) => `${each.name}: ${fieldsOf(each)}`}
      />
      {diff.is_reordered && <Text size="sm">The order of games or game providers changes.</Text>}
      {diff.image_assets_changed && <Text size="sm">The address or the sizes of the pictures change.</Text>}
    </Stack>
  );
}

interface PartProps<T> {
  title: string;
  colour: string;
  total: number;
  first: T[];
  text(item: T): string;
}

const maxNamed = 8;

function Part<T>({ title, colour, total, first, text }: PartProps<T>) {
  if (total === 0) return null;
  const named = first.slice(0, maxNamed);
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}{' '}
        <Badge color={colour} variant="light" size="sm">
          {count(total)}
        </Badge>
      </Text>
      <List size="sm" withPadding>
        {named.map((item) => (
          <List.Item key={text(item)}>{text(item)}</List.Item>
        ))}
        {total > named.length && <List.Item c="dimmed">and {count(total - named.length)} more</List.Item>}
      </List>
    </div>
  );
}
