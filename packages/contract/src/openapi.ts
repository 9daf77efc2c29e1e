import type { TSchema } from 'typebox';
import { type ErrorName, errorBody, errors } from './errors.ts';
import { Event } from './events.ts';
import { exampleEvent } from './example-story.ts';
import { ErrorBody } from './formats.ts';
import { commonErrors, type Example, examplesOf } from './operation-types.ts';
import { type Operation, operations } from './operations.ts';
import { basePath, type OperationName, signatureHeader } from './paths.ts';

// Generates the OpenAPI 3.1 document from the tables of operations.

type Json = Record<string, unknown>;

const exampleRequestId = '01a1d2c3-0000-7000-8000-000000000000';

/** Custom keywords and the standard keywords that replace them in the document. */
const shown: Record<string, string> = { 'x-items': 'items', 'x-only': 'enum' };

/**
 * Converts `if` to `oneOf`, which OpenAPI tools support better, and drops `x-form`, which descriptions already contain.
 */
function documented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (schema === null || typeof schema !== 'object') return schema;
  const { if: choice, then: one, else: other, 'x-form': _form, ...rest } = schema as Json;
  if (choice !== undefined) return { oneOf: [documented(one), documented(other)] };
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [shown[key] ?? key, documented(value)]));
}

const json = (schema: Json, examples: Json) => ({ 'application/json': { schema, examples } });

const schemaName = (operation: string, part: 'Request' | 'Response') => `${operation}${part}`;
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const header = (description: string, type = 'string') => ({ description, schema: { type } });

const headers = {
  'X-Request-Id': header('The id of this request: the one that you sent, if it was well formed.'),
  RateLimit: header('The requests left in your rate limit, and the seconds until there are more.'),
  'RateLimit-Policy': header('Your burst, and the seconds until it is full again.'),
};

const listHeaders = {
  ETag: header('Send it back as `If-None-Match`.'),
  'Content-Encoding': header('`gzip` if you accept it.'),
};

const requestId = {
  name: 'X-Request-Id',
  in: 'header',
  description: 'Your own id for this request: at most 64 characters of `A-Za-z0-9._-`.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
};

const requestTime = {
  name: 'X-REQUEST-TIME',
  in: 'header',
  description:
    'The time in seconds since 1970, at most 300 seconds off. If you send it, `X-REQUEST-SIGN` covers this ' +
    'value, a line feed, the path, a line feed and the body. Callers with strict signing must send it.',
  schema: { type: 'string', pattern: '^\\d{1,15}$' },
};

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of the list that you have.',
  schema: { type: 'string' },
};

function errorResponses(publicUrl: string, names: readonly ErrorName[]): Json {
  const byStatus = Map.groupBy(new Set(names), (name) => errors[name].status);
  return Object.fromEntries(
    [...byStatus].map(([status, rows]) => {
      const examples = rows.map((error) => [error, { value: errorBody({ error }, exampleRequestId, publicUrl) }]);
      const description = rows.map((error) => `\`${error}\` (${errors[error].code})`).join(', ');
      return [
        String(status),
        {
          description,
          headers: {
            'X-Request-Id': headers['X-Request-Id'],
            ...((status === 429 || status === 503) && {
              'Retry-After': header('The number of seconds to wait.', 'integer'),
            }),
            ...(status === 405 && { Allow: header('The method to use.') }),
          },
          content: json(reference('Error'), Object.fromEntries(examples)),
        },
      ];
    }),
  );
}

const namedExamples = (examples: Example[], part: 'request' | 'response'): Json =>
  Object.fromEntries(
    examples.map(({ summary = 'Example', ...example }) => {
      const key = summary.toLowerCase().replaceAll(' ', '_');
      return [key, { summary, value: example[part] }];
    }),
  );

/** Each example in each language. If the request has two forms, the label includes the form. */
const samplesOf = (url: string, examples: Example[]): CodeSample[] =>
  examples.flatMap(({ summary, request }) =>
    codeSamples(url, request).map((sample) => ({
      ...sample,
      label: summary === undefined ? sample.label : `${sample.label}: ${summary.toLowerCase()}`,
    })),
  );

function pathItem(publicUrl: string, name: OperationName, operation: Operation): Json {
  const isList = name === 'GameList';
  const examples = examplesOf(operation);
  const notModified = isList && { 304: { description: 'The list has not changed.', headers } };
  return {
    post: {
      operationId: name,
      tags: [operation.tag],
      summary: operation.summary,
      description: operation.description,
      externalDocs: {
        description: 'Sign and send this request from the browser',
        url: `${publicUrl}/docs/try#${name}`,
      },
      parameters: [requestTime, requestId, ...(isList ? [ifNoneMatch] : [])],
      requestBody: {
        required: true,
        content: json(reference(schemaName(name, 'Request')), namedExamples(examples, 'request')),
      },
      'x-codeSamples': samplesOf(publicUrl + basePath + operation.path, examples),
      responses: {
        200: {
          description: 'Done.',
          headers: { ...headers, ...(isList && listHeaders) },
          content: json(reference(schemaName(name, 'Response')), namedExamples(examples, 'response')),
        },
        ...notModified,
        ...errorResponses(publicUrl, [...commonErrors, ...operation.errors]),
      },
    },
  };
}

const eventHeaders = {
  'X-REQUEST-TIME': 'The time of the request in seconds since 1970; only sent if your signing is strict.',
  'X-REQUEST-SIGN':
    'Hex HMAC-SHA256 of the body, keyed with your secret; with `X-REQUEST-TIME`, of the time, a line feed, the path with its query, ' +
    'a line feed and the body.',
  'X-REQUEST-SIGN-PREVIOUS': 'The signature with your previous secret, during a rotation.',
  'webhook-id': 'The `event_id`. An event may be sent more than once, always with the same id.',
  'webhook-timestamp': 'The time of the request in seconds since 1970.',
  'webhook-signature':
    'The signature of Standard Webhooks: `v1,` and a base64 HMAC-SHA256, for each of your valid secrets.',
};

const webhook = {
  post: {
    operationId: 'Event',
    tags: ['Events'],
    summary: 'An event, sent to your address',
    description:
      'Return any 2xx status within 15 seconds to acknowledge the event. After any other response, also a ' +
      'redirect, the event is sent again later. 410 turns the webhook off.',
    security: [],
    parameters: Object.entries(eventHeaders).map(([name, description]) => ({
      name,
      in: 'header',
      required: !['X-REQUEST-SIGN-PREVIOUS', 'X-REQUEST-TIME'].includes(name),
      description,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: json(reference('Event'), { example: { value: exampleEvent } }) },
    responses: {
      '2XX': { description: 'Received.' },
      '4XX': { description: 'The event is sent again later. 410 turns the webhook off.' },
      '5XX': { description: 'The event is sent again later.' },
    },
  },
};

const introduction = `Free-bet campaigns and the game catalogue, called server to server.

Every operation is a \`POST\` with a JSON body and the header \`X-REQUEST-SIGN\`: the hexadecimal HMAC-SHA256, in lower or upper
case, of the exact bytes of the body, keyed with the caller's secret. The secret itself is never sent; the samples of each operation show how
the header is made. With \`X-REQUEST-TIME\` the signature covers the time and the path too; without it, an attacker who has seen
a request can send it again, also to another operation, so strict signing is recommended. Writes are idempotent by id: a repeated
request changes nothing and returns the first response again.`;

export function openApi(publicUrl: string, version: string): Json {
  const entries = Object.entries(operations) as [OperationName, Operation][];
  const schemas: Record<string, unknown> = { Error: documented(ErrorBody as TSchema), Event: documented(Event) };
  for (const [name, operation] of entries) {
    schemas[schemaName(name, 'Request')] = documented(operation.request);
    schemas[schemaName(name, 'Response')] = documented(operation.response);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Freebets',
      version,
      description: introduction,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: publicUrl + basePath }],
    tags: [
      { name: 'Promo', description: 'Campaigns and free bets.' },
      { name: 'Jobs', description: 'Issue free bets to the players of a list, in the background.' },
      { name: 'Game catalogue', description: 'The games that a partner is offered.' },
      {
        name: 'Events',
        description:
          "Everything that happened to a partner's campaigns, free bets and jobs, to read or to receive by webhook.",
      },
      { name: 'Rounds', description: 'For game providers: use free bets in rounds.' },
      { name: 'Sandbox', description: 'For sandbox partners: their clock, and rounds without a game provider.' },
    ],
    security: [{ signature: [] }],
    paths: Object.fromEntries(
      entries.map(([name, operation]) => [operation.path, pathItem(publicUrl, name, operation)]),
    ),
    webhooks: { event: webhook },
    components: {
      securitySchemes: {
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'X-REQUEST-SIGN',
          description:
            "The hexadecimal HMAC-SHA256 of the exact bytes of the body, keyed with the caller's secret. " +
            'Calculate it for every request; never send the secret itself.',
        },
      },
      schemas,
    },
  };
}

// Templates of a call in each language of the guides. All send the same text and sign exactly the bytes they send. They
// read the secret from the environment, to discourage hard-coded secrets.

interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

interface Call {
  url: string;
  /** JSON without single quotes and backslashes, which the templates would have to escape. */
  body: string;
}

const signHeader = signatureHeader.toUpperCase();

const shell = ({ url, body }: Call) => `BODY='${body}'
# The HMAC-SHA256 of the body, keyed with your secret. The secret itself is never sent.
SIGN=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)
curl ${url} \\
  -H 'Content-Type: application/json' \\
  -H "${signHeader}: $SIGN" \\
  --data-binary "$BODY"`;

const javaScript = ({ url, body }: Call) => `import { createHmac } from 'node:crypto';
import { env } from 'node:process';

const body = \`${body}\`;
// The HMAC-SHA256 of the body, keyed with your secret. The secret itself is never sent.
const sign = createHmac('sha256', env.SECRET).update(body).digest('hex');

const answer = await fetch('${url}', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', '${signHeader}': sign },
  body,
});
console.log(answer.status, await answer.text());`;

const python = ({ url, body }: Call) => `import hashlib
import hmac
import os
import urllib.request

body = """${body}""".encode()
# The HMAC-SHA256 of the body, keyed with your secret. The secret itself is never sent.
sign = hmac.new(os.environ["SECRET"].encode(), body, hashlib.sha256).hexdigest()

headers = {"Content-Type": "application/json", "${signHeader}": sign}
request = urllib.request.Request("${url}", body, headers)
with urllib.request.urlopen(request, timeout=10) as answer:
    print(answer.status, answer.read().decode())`;

const php = ({ url, body }: Call) => `<?php
$body = <<<'JSON'
${body}
JSON;
// The HMAC-SHA256 of the body, keyed with your secret. The secret itself is never sent.
$sign = hash_hmac('sha256', $body, getenv('SECRET'));

$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ['Content-Type: application/json', "${signHeader}: $sign"],
    'content' => $body,
    'timeout' => 10,
    'ignore_errors' => true,
]]);
echo file_get_contents('${url}', false, $context), "\\n";`;

const java = ({ url, body }: Call) => `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import static java.nio.charset.StandardCharsets.UTF_8;

public class Call {
    static final String BODY = """
${body.replaceAll(/^/gm, '        ')}""";

    public static void main(String[] args) throws Exception {
        byte[] body = BODY.getBytes(UTF_8);
        // The HMAC-SHA256 of the body, keyed with your secret. The secret itself is never sent.
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(System.getenv("SECRET").getBytes(UTF_8), "HmacSHA256"));
        String sign = HexFormat.of().formatHex(mac.doFinal(body));

        HttpRequest request = HttpRequest.newBuilder(URI.create("${url}"))
            .header("Content-Type", "application/json")
            .header("${signHeader}", sign)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
        HttpResponse<String> answer = HttpClient.newHttpClient()
            .send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(answer.statusCode() + " " + answer.body());
    }
}`;

const languages: [lang: string, label: string, source: (call: Call) => string][] = [
  ['shell', 'Shell', shell],
  ['javascript', 'JavaScript', javaScript],
  ['python', 'Python', python],
  ['php', 'PHP', php],
  ['java', 'Java', java],
];

function codeSamples(url: string, request: unknown): CodeSample[] {
  const call = { url, body: JSON.stringify(request, null, 2) };
  return languages.map(([lang, label, source]) => ({ lang, label, source: source(call) }));
}
