import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { usePerson } from '../../api/session.ts';
import { RefusalNote } from '../../ui/refusal.tsx';
import { NewPassword, newPasswordMin } from '../sign-in/new-password.tsx';

export function PasswordChange() {
  const [password, setPassword] = useState('');
  const [next, setNext] = useState('');
  const { email } = usePerson();
  const call = useChange('session');
  const change = useMutation({
    mutationFn: () => call('PasswordChange', { password, new_password: next }),
    onSuccess: ({ ended }) => {
      setPassword('');
      setNext('');
      notifications.show({ message: `Your password is changed. Other sessions ended: ${ended}.` });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Stack>
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label="Present password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <NewPassword label="New password" value={next} onChange={setNext} />
        <Text size="sm" c="dimmed">
          All your other sessions end with it.
        </Text>
        {change.error && <RefusalNote error={change.error} />}
        <Button
          type="submit"
          variant="default"
          loading={change.isPending}
          disabled={password === '' || next.length < newPasswordMin}
        >
          Change the password
        </Button>
      </Stack>
    </form>
  );
}
