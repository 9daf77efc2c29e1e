// Signs the request in the form and sends it to the server of this page. The secret is read from its field for each
// signature and is not stored elsewhere.

const part = (id) => document.getElementById(id);
const fields = {
  operation: part('operation'),
  form: part('form'),
  secret: part('secret'),
  body: part('body'),
  timed: part('timed'),
};
const encoder = new TextEncoder();
const timeoutMs = 30_000;

/** The edited body of each operation, so that switching operations keeps the edits. */
const drafts = new Map();
let operations = new Map();

const isSecure = globalThis.isSecureContext && crypto.subtle !== undefined;

async function start() {
  if (!isSecure) {
    complain(
      'Browsers let a page sign only when it comes over https or from this machine: open it at an https address, or at ' +
        'http://127.0.0.1 or http://localhost on the machine where the server runs.',
    );
    part('send').disabled = true;
  }
  const answer = await fetch('../openapi.json');
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  operations = operationsOf(await answer.json());
  listOperations();
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (operations.has(wanted)) fields.operation.value = wanted;
  showOperation();
}

function operationsOf({ paths }) {
  const entries = Object.entries(paths).map(([path, { post }]) => {
    const { examples } = post.requestBody.content['application/json'];
    const forms = Object.values(examples).map(({ summary, value }) => ({
      summary,
      text: JSON.stringify(value, null, 2),
    }));
    const isProvider = Object.values(examples).some(({ value }) => 'provider_id' in value);
    return [post.operationId, { path, tag: post.tags[0], summary: post.summary, forms, isProvider }];
  });
  return new Map(entries);
}

function listOperations() {
  const groups = Map.groupBy(operations, ([, { tag }]) => tag);
  for (const [tag, members] of groups) {
    const group = document.createElement('optgroup');
    group.label = tag;
    for (const [id, { path, summary }] of members) group.append(new Option(`${path} – ${summary}`, id));
    fields.operation.append(group);
  }
}

const current = () => operations.get(fields.operation.value);
const addressOf = ({ path }) => new URL(part('call').dataset.base + path, document.baseURI).href;

function showOperation() {
  const { forms, isProvider, tag, path } = current();
  history.replaceState(null, '', `#${fields.operation.value}`);
  part('secret-label').textContent = isProvider ? 'Secret of the game provider' : 'Secret of the partner';
  const link = document.createElement('a');
  link.href = `reference#tag/${tag.toLowerCase().replaceAll(' ', '-')}/POST${path}`;
  link.textContent = 'Its fields, bounds and errors';
  part('about').replaceChildren(link);
  fields.form.replaceChildren(...forms.map(({ summary }, i) => new Option(summary ?? 'Example', String(i))));
  part('forms').hidden = forms.length < 2;
  fields.body.value = drafts.get(fields.operation.value) ?? forms[0].text;
  part('status').textContent = 'Not sent yet.';
  part('answer-block').hidden = true;
  showSignature();
}

function showForm() {
  fields.body.value = current().forms[Number(fields.form.value)].text;
  drafts.set(fields.operation.value, fields.body.value);
  showSignature();
}

async function sign(body, secret) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(body)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function signedHeaders(body, secret) {
  if (!fields.timed.checked) return { 'X-REQUEST-SIGN': await sign(body, secret) };
  const time = String(Math.floor(Date.now() / 1000));
  const path = part('call').dataset.signed + current().path;
  return { 'X-REQUEST-TIME': time, 'X-REQUEST-SIGN': await sign(`${time}\n${path}\n${body}`, secret) };
}

/** Signing is asynchronous. A signature of an older edit is dropped if a newer one is under way. */
let latest = 0;

function showSignature() {
  computeSignature().catch(reportError);
}

async function computeSignature() {
  const turn = ++latest;
  const [body, secret] = [fields.body.value, fields.secret.value];
  const headers = isSecure && secret !== '' ? await signedHeaders(body, secret) : undefined;
  if (turn !== latest) return;
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  part('header').textContent = headers ? lines.join('\n') : 'X-REQUEST-SIGN: (enter the secret)';
  part('curl').textContent = curlLine(headers ? lines : ['X-REQUEST-SIGN: …'], body);
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

const curlLine = (lines, body) =>
  [
    `curl ${quoted(addressOf(current()))}`,
    ...['Content-Type: application/json', ...lines].map((line) => `-H '${line}'`),
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');

async function send() {
  const [body, secret] = [fields.body.value, fields.secret.value];
  if (secret === '') {
    fields.secret.focus();
    return showStatus('Enter the secret first.', 'bad');
  }
  part('send').disabled = true;
  showStatus('Sending …');
  part('answer-block').hidden = true;
  try {
    await showAnswer(body, await signedHeaders(body, secret));
  } catch (error) {
    showStatus(error.name === 'TimeoutError' ? `No answer within ${timeoutMs / 1000} seconds.` : 'No answer.', 'bad');
  } finally {
    part('send').disabled = false;
  }
}

async function showAnswer(body, signed) {
  const startedAt = performance.now();
  const headers = { 'Content-Type': 'application/json', ...signed };
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { method: 'POST', headers, body, signal, credentials: 'omit', redirect: 'error' };
  const answer = await fetch(addressOf(current()), options);
  const text = await answer.text();
  const ms = Math.round(performance.now() - startedAt);
  const requestId = answer.headers.get('X-Request-Id') ?? 'none';
  showStatus(`HTTP ${answer.status} in ${ms} ms\nX-Request-Id: ${requestId}`, answer.ok ? 'good' : 'bad');
  part('answer').textContent = indented(text);
  part('answer-block').hidden = false;
  part('answer-title').scrollIntoView({ block: 'nearest' });
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function showStatus(text, kind = '') {
  part('status').textContent = text;
  part('status').className = `status ${kind}`;
}

function complain(text) {
  part('problem').textContent = text;
  part('problem').hidden = false;
}

fields.operation.addEventListener('change', showOperation);
fields.form.addEventListener('change', showForm);
fields.secret.addEventListener('input', showSignature);
fields.timed.addEventListener('change', showSignature);
fields.body.addEventListener('input', () => {
  drafts.set(fields.operation.value, fields.body.value);
  showSignature();
});
part('reveal').addEventListener('click', ({ currentTarget }) => {
  const isShown = fields.secret.type === 'text';
  fields.secret.type = isShown ? 'password' : 'text';
  currentTarget.textContent = isShown ? 'Show' : 'Hide';
  currentTarget.setAttribute('aria-pressed', String(!isShown));
});
part('call').addEventListener('submit', (event) => {
  event.preventDefault();
  send().catch(reportError);
});
start().catch((error) => complain(`The operations cannot be loaded: ${error.message}`));
