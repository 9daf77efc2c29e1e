import { basePath } from '@freebets/contract';

/** browser/try.js fills in the operations and their examples from the OpenAPI document. */
export const tryPage = `<main class="try">
<h1>Try it</h1>
<p class="lead">Signs a request in this browser and sends it to this server. It is carried out like any other: use a partner
or a provider that is there for trying things out.</p>
<p class="notice" id="problem" role="alert" hidden></p>
<div class="columns">
<form id="call" data-base="..${basePath}" data-signed="${basePath}" autocomplete="off">
<div class="field"><label for="operation">Operation</label><select id="operation"></select>
<p class="hint" id="about"></p></div>
<div class="field" id="forms" hidden><label for="form">Example</label><select id="form"></select></div>
<div class="field"><label for="secret" id="secret-label">Secret of the partner</label>
<div class="together"><input id="secret" type="password" autocomplete="off" autocapitalize="off" spellcheck="false"
aria-describedby="secret-hint"><button type="button" id="reveal" aria-pressed="false">Show</button></div>
<p class="hint" id="secret-hint">It stays in the memory of this page: it is neither sent nor stored, and is gone when you leave.
The page cannot connect to any other server.</p></div>
<div class="field"><label for="body">Body</label>
<textarea id="body" rows="16" spellcheck="false" autocapitalize="off" aria-describedby="body-hint"></textarea>
<p class="hint" id="body-hint">Signed and sent exactly as shown.</p></div>
<div class="field"><label><input id="timed" type="checkbox" aria-describedby="timed-hint"> Sign the time and the path too</label>
<p class="hint" id="timed-hint">With the header X-REQUEST-TIME, which callers with strict signing must send. Such a request is good
for five minutes.</p></div>
<button type="submit" id="send" class="primary">Sign and send</button>
</form>
<div class="result">
<section aria-labelledby="answer-title" aria-live="polite"><h2 id="answer-title">Answer</h2>
<p id="status" class="status">Not sent yet.</p>
<pre tabindex="0" id="answer-block" hidden><code id="answer"></code></pre></section>
<section aria-labelledby="header-title"><h2 id="header-title">Header</h2>
<pre tabindex="0" class="wrap"><code id="header">X-REQUEST-SIGN: (enter the secret)</code></pre></section>
<section aria-labelledby="curl-title"><h2 id="curl-title">The same with curl</h2>
<pre tabindex="0"><code id="curl"></code></pre></section>
</div>
</div>
</main>
<noscript><p class="notice">This page needs JavaScript.</p></noscript>`;
