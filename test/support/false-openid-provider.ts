import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenHere, openIdClient } from './openid-provider.ts';

// An OpenID provider that returns any response that a test wants, valid or not.

const keys = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const own = keys();
const foreign = keys();

export interface FalseAnswer {
  /** Replaces the correct values. */
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  isSignedByAnother?: boolean;
  /** Changes the token after it was signed. */
  mangle?(token: string): string;
  /** Replaces the response with the token. */
  answer?: { status: number; body: object };
}

export interface FalseProvider {
  issuer: string;
  wanted: FalseAnswer;
  /** The parameters of the sign-in request. */
  challenge: string;
  nonce: string;
  /** The token request. */
  asked: { authorization: string | undefined; body: URLSearchParams } | undefined;
}

export async function falseProvider(): Promise<FalseProvider> {
  const { issuer, server } = await listenHere();
  const state: FalseProvider = { issuer, wanted: {}, challenge: '', nonce: '', asked: undefined };
  server.on('request', (request, response) => void serve(state, request, response));
  return state;
}

async function serve(state: FalseProvider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (body: object, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const { issuer } = state;
  if (request.url === '/.well-known/openid-configuration') {
    return send({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
  }
  if (request.url === '/keys') {
    const jwk = own.publicKey.export({ format: 'jwk' });
    return send({ keys: [{ ...jwk, use: 'sig', alg: 'RS256', kid: 'own' }] });
  }
  if (request.url !== '/token') return send({}, 404);
  const body = new URLSearchParams(await textOf(request));
  state.asked = { authorization: request.headers.authorization, body };
  if (state.wanted.answer) return send(state.wanted.answer.body, state.wanted.answer.status);
  const verified = createHash('sha256')
    .update(body.get('code_verifier') ?? '')
    .digest('base64url');
  if (verified !== state.challenge) return send({ error: 'invalid_grant' }, 400);
  return send({ access_token: 'any', token_type: 'Bearer', id_token: tokenOf(state) });
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function tokenOf({ issuer, nonce, wanted }: FalseProvider): string {
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: 'RS256', typ: 'JWT', kid: 'own', ...wanted.header };
  const claims = {
    iss: issuer,
    sub: 'subject-1',
    aud: openIdClient.OIDC_CLIENT_ID,
    nonce,
    iat: now,
    exp: now + 60,
    ...wanted.claims,
  };
  const text = `${encoded(header)}.${encoded(claims)}`;
  const key: KeyObject = (wanted.isSignedByAnother ? foreign : own).privateKey;
  const token = `${text}.${signatureOf(text, header.alg, key)}`;
  return wanted.mangle?.(token) ?? token;
}

function signatureOf(text: string, algorithm: unknown, key: KeyObject): string {
  if (algorithm === 'none') return '';
  return sign('sha256', Buffer.from(text), createPrivateKey(key.export({ format: 'pem', type: 'pkcs8' }))).toString(
    'base64url',
  );
}
