import type { ClientAuth, Configuration } from 'openid-client';

// The provider of single sign-on, by OpenID Connect: the authorization code flow with PKCE, state and nonce. Discovery
// runs on first use, so that the service starts while the provider is down. Failed discovery is retried on the next
// use.

export interface OpenIdSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** A sign-in in progress: what the browser must bring back, and what the server keeps to check it. */
export interface Begun {
  /** The URL that the browser is redirected to. */
  url: string;
  state: string;
  nonce: string;
  verifier: string;
}

/** A person, as the provider identifies them. */
export interface Identity {
  issuer: string;
  subject: string;
  /** The provider's claim, which proves nothing here. */
  email: string | null;
}

export interface OpenIdProvider {
  begin(redirectUri: string): Promise<Begun>;
  /** Checks the redirect back, which can come from any sender. Throws if a check fails. */
  finish(address: URL, begun: Omit<Begun, 'url'>): Promise<Identity>;
}

const timeoutSec = 10;

export function openIdProvider({ issuer, clientId, clientSecret }: OpenIdSettings): OpenIdProvider {
  let known: Promise<Configuration> | undefined;
  const discover = async () => {
    const client = await import('openid-client');
    const isPlain = issuer.startsWith('http:');
    return client.discovery(new URL(issuer), clientId, undefined, await authentication(clientSecret), {
      timeout: timeoutSec,
      // Without it, openid-client skips the signature of a token that comes straight from the provider.
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
    });
  };
  const configuration = () => {
    known ??= discover().catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return {
    begin: async (redirectUri) => begin(await configuration(), redirectUri),
    finish: async (address, begun) => finish(await configuration(), address, begun),
  };
}

/** Uses a method that the provider supports. */
async function authentication(secret: string): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost } = await import('openid-client');
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

async function begin(configuration: Configuration, redirectUri: string): Promise<Begun> {
  const client = await import('openid-client');
  const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { url: url.href, state, nonce, verifier };
}

async function finish(
  configuration: Configuration,
  address: URL,
  { state, nonce, verifier }: Omit<Begun, 'url'>,
): Promise<Identity> {
  const { authorizationCodeGrant } = await import('openid-client');
  const tokens = await authorizationCodeGrant(configuration, address, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider sent no token that says who it is');
  return { issuer: claims.iss, subject: claims.sub, email: typeof claims.email === 'string' ? claims.email : null };
}
