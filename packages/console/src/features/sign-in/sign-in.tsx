import { Alert, Divider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { DemoPeople } from './demo-people.tsx';
import { Door } from './door.tsx';
import { useEntering } from './entering.ts';
import { PasswordForm, useSigningIn } from './signing-in.tsx';
import { SsoButton } from './sso-button.tsx';
import { ssoTrouble, waysQuery } from './ways.ts';

const route = getRouteApi('/sign-in');

/** E-mail and password, then the second factor where it is asked for. */
export function SignIn() {
  const { to, error: ssoError, ended } = route.useSearch();
  const { data: ways } = useQuery(waysQuery);
  const { send, isSending, refused, code, email } = useSigningIn(useEntering(to));
  if (code) {
    return (
      <Door title="Second factor" about={email}>
        {code}
      </Door>
    );
  }
  return (
    <Door title="Sign in" beside={ways?.demo && <DemoPeople isBusy={isSending} onChoose={(person) => send(person)} />}>
      {ended && !refused && <Alert color="blue">Your session has ended. Sign in to go on where you were.</Alert>}
      {ssoError && <Alert color="red" role="alert" title={ssoTrouble(ssoError)} />}
      <PasswordForm isSending={isSending} onGiven={send} refused={refused} />
      {ways?.sso && (
        <>
          <Divider label="or" />
          <SsoButton variant="default" to={to}>
            Sign in with your company account
          </SsoButton>
        </>
      )}
    </Door>
  );
}
