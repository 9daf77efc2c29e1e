import { signatureHeader } from './paths.ts';

// A call in each language of the guides, from one template each. All send the same text and sign exactly what they send;
// the secret comes from the environment, so that nobody writes it where others read it.

export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

interface Call {
  url: string;
  /** JSON. It holds no quote or backslash that a template would have to escape. */
  body: string;
}

const header = signatureHeader.toUpperCase();

const shell = ({ url, body }: Call) => `BODY='${body}'
# The HMAC-SHA256 of the body, keyed with your secret. The secret itself is never sent.
SIGN=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)
curl ${url} \\
  -H 'Content-Type: application/json' \\
  -H "${header}: $SIGN" \\
  --data-binary "$BODY"`;

const javaScript = ({ url, body }: Call) => `import { createHmac } from 'node:crypto';
import { env } from 'node:process';

const body = \`${body}\`;
// The HMAC-SHA256 of the body, keyed with your secret. The secret itself is never sent.
const sign = createHmac('sha256', env.SECRET).update(body).digest('hex');

const answer = await fetch('${url}', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', '${header}': sign },
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

headers = {"Content-Type": "application/json", "${header}": sign}
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
    'header' => ['Content-Type: application/json', "${header}: $sign"],
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
            .header("${header}", sign)
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

export function codeSamples(url: string, request: unknown): CodeSample[] {
  const call = { url, body: JSON.stringify(request, null, 2) };
  return languages.map(([lang, label, source]) => ({ lang, label, source: source(call) }));
}
