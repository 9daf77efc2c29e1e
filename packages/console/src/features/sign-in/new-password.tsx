import { PasswordInput } from '@mantine/core';

interface NewPasswordProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

export const newPasswordMin = 12;

export const NewPassword = ({ label, value, onChange }: NewPasswordProps) => (
  <PasswordInput
    label={label}
    description={`At least ${newPasswordMin} characters of any kind; no common password, and not your own name.`}
    autoComplete="new-password"
    required
    minLength={newPasswordMin}
    maxLength={256}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
