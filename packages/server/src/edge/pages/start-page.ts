import { basePath } from '@freebets/contract';
import { escapeHtml } from './html.ts';

export const startPage = (publicUrl: string): string => `<main class="start">
<h1>Freebets</h1>
<p class="lead">Free-bet campaigns and the game catalogue, called server to server. Every operation is a signed JSON
<code>POST</code> below <code>${escapeHtml(publicUrl + basePath)}</code>, and what is created, issued or bet
under an id happens only once, however often it is sent.</p>
<ul class="cards">
<li><a href="partners"><strong>Guide for partners</strong><span>Signing, campaigns, free bets, events and webhooks, errors,
retries. With programs in five languages that run as they stand.</span></a></li>
<li><a href="providers"><strong>Guide for game providers</strong><span>Using free bets in rounds: find, bet, settle, roll back,
and what to do when no answer comes.</span></a></li>
<li><a href="sdk"><strong>Clients</strong><span>Ready to use, for JavaScript and TypeScript, Python and PHP, and vectors to check
your own code with.</span></a></li>
<li><a href="check"><strong>Check</strong><span>Certify an integration: a server, a receiver of events, or a game provider, rule by
rule.</span></a></li>
<li><a href="reference"><strong>Reference</strong><span>Every operation, field, bound and error, with samples that show how
a request is signed.</span></a></li>
<li><a href="try"><strong>Try it</strong><span>Sign and send a request from this browser. The secret never leaves the
page.</span></a></li>
</ul>
<h2>How a request is signed</h2>
<p>The header <code>X-REQUEST-SIGN</code> is the HMAC-SHA256 of the exact bytes of the body, keyed with your secret, in
hexadecimal. The secret itself is never sent. To check your code: the secret <code>test-secret</code> and the body
<code>{"client_id":1}</code> give</p>
<pre tabindex="0"><code>23a8bba52d0cc187d7dd4428ac546f574e706c2c06620f3c7f3dfdcabd196aab</code></pre>
<p>For programs: the <a href="../openapi.json">OpenAPI document</a>.</p>
</main>`;
