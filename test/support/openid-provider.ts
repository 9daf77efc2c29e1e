import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, mock } from 'node:test';

// A real OpenID provider that signs every visitor in at once, as the account set by the test.

export const openIdClient = {
  OIDC_CLIENT_ID: 'freebets',
  OIDC_CLIENT_SECRET: 'the secret of the client: with / and %',
};

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export interface Listening {
  issuer: string;
  server: Server;
}

/** A local address whose listener may start later; closed when the file ends. */
export async function listenHere(port = 0, listener?: Listener): Promise<Listening> {
  const server = createServer(listener).listen(port, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

export interface RealProvider {
  /** The account of the next sign-in. */
  account: { subject: string; email: string };
}

interface GrantContext {
  oidc: {
    client: { clientId: string };
    session: { accountId: string; grantIdFor(clientId: string): string | undefined };
  };
}

interface Grants {
  // biome-ignore lint/suspicious/noExplicitAny: the package has no types.
  Grant: any;
}

/** Skips the consent. */
async function grantFor({ Grant }: Grants, { client: { clientId }, session }: GrantContext['oidc']) {
  const known = session.grantIdFor(clientId);
  if (known !== undefined) return Grant.find(known);
  const grant = new Grant({ clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email');
  await grant.save();
  return grant;
}

/** Serves on an existing listener. */
export async function serveOpenId({ issuer, server }: Listening, publicUrl: string): Promise<RealProvider> {
  // Its warnings don't apply to a test.
  const warnings = mock.method(console, 'warn', () => {});
  const { default: Provider } = await import('oidc-provider' as string);
  const state: RealProvider = { account: { subject: 'subject-1', email: 'someone@example.com' } };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: openIdClient.OIDC_CLIENT_ID,
        client_secret: openIdClient.OIDC_CLIENT_SECRET,
        redirect_uris: [`${publicUrl}/console/api/Session/Sso/Callback`],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }] },
    cookies: { keys: ['a key for the cookies of the test'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, email: state.account.email }) }),
    loadExistingGrant: ({ oidc }: GrantContext) => grantFor(provider, oidc),
    ttl: { Interaction: 60, Session: 60, Grant: 60, AccessToken: 60, IdToken: 60 },
    renderError: (context: { body: string }, { error }: { error: string }) => {
      context.body = `refused: ${error}`;
    },
  });
  const serve = provider.callback();
  warnings.mock.restore();
  server.on('request', async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return serve(request, response);
    return provider.interactionFinished(request, response, { login: { accountId: state.account.subject } });
  });
  return state;
}
