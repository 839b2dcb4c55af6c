import { formatUsd } from '../account/money.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { bodyResponse } from '../http/response.ts';
import { escapeXml, page } from '../page.ts';
import type { Task, User } from '../state.ts';
import { taskFailure, resultUrls } from '../tasks/record.ts';
import { phaseOf } from '../tasks/store.ts';

/** A page for people who open the gateway in a browser. Not part of the specification. */
export const homeRoutes = [
  defineEndpoint({
    method: 'GET',
    path: '/',
    summary: 'Home page',
    auth: 'none',
    hidden: true,
    handle: (context) => bodyResponse(200, 'text/html; charset=utf-8', homePage(context)),
  }),
];

/** Maximum number of tasks on the page. */
const maxTasks = 12;

/** Maximum number of characters of a prompt on the page. */
const maxPromptLength = 200;

const style = `
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; margin: 0 0 1.5rem; padding: 0 }
.tasks { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)) }
.tasks > li { background: var(--card); border: 1px solid var(--line); border-radius: 14px;
  overflow: hidden; display: flex; flex-direction: column }
.result { aspect-ratio: 3 / 2; display: grid; place-items: center; padding: 0; text-align: center;
  background: var(--line) }
.plain { aspect-ratio: auto; min-height: 7rem; flex: 1 }
.result img, .result video { width: 100%; height: 100%; object-fit: cover; display: block }
.result audio, .result progress { width: calc(100% - 2rem) }
.result p { margin: 0; padding: 0 1rem }
.about { padding: 0.75rem 1rem; display: flex; flex-direction: column; gap: 0.25rem }
.about p { margin: 0 }
.prompt { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden }
.completed { color: var(--good) }
.failed { color: var(--bad) }
`;

/** Renders the home page: a sample request, the wallets, and the latest tasks with their results. */
function homePage(context: RequestContext): string {
  const { users, tasks } = context.services;
  const all = Array.from(tasks.all);
  const latest = all.slice(-maxTasks).toReversed();
  const heading = all.length > maxTasks ? `Latest ${maxTasks} of ${all.length} tasks` : 'Tasks';
  return page(
    'polygate reference gateway',
    style,
    `<header>
<h1>Reference gateway</h1>
<p>This gateway implements the documented API in memory. Requests cost nothing.</p>
<nav aria-label="Public endpoints"><ul>
<li><a href="/v1/openapi.json">OpenAPI document</a></li><li><a href="/v1/status">Status</a></li>
<li><a href="/v1/pricing">Pricing</a></li><li><a href="/v1/errors">Error codes</a></li>
</ul></nav>
</header>
<main>
<h2 id="try">Try it</h2>
<pre tabindex="0" role="region" aria-labelledby="try">${escapeXml(sampleCall(context))}</pre>
<h2 id="wallets">Wallets</h2>
<table aria-labelledby="wallets">
<thead><tr><th scope="col">User</th><th scope="col">Balance</th><th scope="col">Spent</th>
<th scope="col">In flight</th></tr></thead>
<tbody>${Array.from(users.all, walletRow).join('')}</tbody>
</table>
<h2>${heading}</h2>
${latest.length === 0 ? '<p>No tasks yet.</p>' : ''}
<ul class="tasks">${latest.map((task) => taskCard(context, task)).join('')}</ul>
</main>`,
  );
}

function sampleCall({ services, origin }: RequestContext): string {
  const model = services.catalog.models.find(({ type }) => type === 'chat')?.id ?? 'model';
  return `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${services.users.first.key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'`;
}

function walletRow({ name, balanceUsd, spentUsd, inFlight }: User): string {
  return `<tr><th scope="row">${escapeXml(name)}</th><td>$${formatUsd(balanceUsd)}</td>
<td>$${formatUsd(spentUsd)}</td><td>${inFlight}</td></tr>`;
}

function taskCard(context: RequestContext, task: Task): string {
  const { status } = phaseOf(task, context.now);
  const isRefunded = status === 'failed' && context.services.assumptions.A15 === 'refund';
  const prompt = escapeXml(shorten(task.prompt));
  const createdAt = new Date(task.createdAt).toISOString();
  const details = [
    task.model,
    task.count === 1 ? undefined : `${task.count} files`,
    `$${formatUsd(task.chargeUsd)}${isRefunded ? ' refunded' : ''}`,
  ];
  return `<li>
${resultHtml(context, task, prompt)}
<div class="about">
<p class="prompt">${prompt}</p>
<p class="soft">${escapeXml(details.filter((detail) => detail !== undefined).join(' · '))} ·
<span class="${status}">${status.replace('_', ' ')}</span></p>
<p class="soft"><time datetime="${createdAt}">${createdAt.slice(0, 19).replace('T', ' ')} UTC</time></p>
</div>
</li>`;
}

function shorten(prompt: string): string {
  const characters = Array.from(prompt.trim() || 'No prompt');
  return characters.length > maxPromptLength
    ? `${characters.slice(0, maxPromptLength).join('')}…`
    : characters.join('');
}

/** Renders the progress, first result or error of a task. `prompt` must be escaped. */
function resultHtml(context: RequestContext, task: Task, prompt: string): string {
  const { status, percent } = phaseOf(task, context.now);
  if (status === 'failed') return plainResult(`<p>${escapeXml(taskFailure.message)}</p>`);
  if (status !== 'completed') {
    const label = `aria-label="Progress: ${prompt}"`;
    return plainResult(`<progress max="100" value="${percent}" ${label}></progress>`);
  }
  const [first = ''] = resultUrls(context, task);
  const src = `src="${escapeXml(first)}"`;
  switch (task.kind) {
    case 'image':
      return `<a class="result" href="${escapeXml(first)}"><img ${src} alt="Image: ${prompt}"></a>`;
    case 'video':
      return `<div class="result"><video ${src} controls loop muted playsinline
aria-label="Video: ${prompt}"></video></div>`;
    case 'audio':
      return plainResult(`<audio ${src} controls aria-label="Audio: ${prompt}"></audio>`);
  }
}

function plainResult(html: string): string {
  return `<div class="result plain">${html}</div>`;
}
