import type { Call } from './call.ts';
import { dollars } from './money.ts';
import type { Task } from './state.ts';
import { escapeXml } from './svg.ts';
import { resultUrls } from './task-record.ts';
import { phaseOf } from './tasks.ts';

/** How many tasks the page shows. */
const shownTasks = 12;

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem }
pre { background: #f3f3f6; color: #222; padding: 1rem; overflow: auto; border-radius: 0.5rem }
table { border-collapse: collapse }
td, th { padding: 0.2rem 1rem 0.2rem 0; text-align: left }
ul { list-style: none; padding: 0; display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)) }
li { border: 1px solid #ddd; border-radius: 0.5rem; padding: 0.75rem }
li img, li video, li audio { width: 100%; border-radius: 0.25rem }
small { color: #777 }
`;

/** What is running: how to call it, the wallets, and the latest tasks with their results. */
export function homePage(call: Call): string {
  const { services, origin } = call;
  const users = Array.from(services.users.all).map(
    (user) =>
      `<tr><td>${escapeXml(user.name)}</td><td>$${dollars(user.balanceUsd)}</td>
<td>$${dollars(user.spentUsd)}</td><td>${user.inFlight}</td></tr>`,
  );
  const tasks = Array.from(services.tasks.all).slice(-shownTasks).toReversed();
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>polygate reference gateway</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>
<h1>polygate reference gateway</h1>
<p>A model gateway that behaves as its specification says. Nothing here costs anything. Its
<a href="/v1/openapi.json">description</a>, <a href="/v1/status">status</a>,
<a href="/v1/pricing">prices</a> and <a href="/v1/errors">error codes</a> need no key.</p>
<pre>curl ${escapeXml(origin)}/v1/chat/completions \\
  -H "Authorization: Bearer ${escapeXml(services.users.first.key)}" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${escapeXml(chatModel(call))}","messages":[{"role":"user","content":"Hello"}]}'</pre>
<h2>Wallets</h2>
<table><tr><th>user</th><th>balance</th><th>spent</th><th>in flight</th></tr>
${users.join('')}</table>
<h2>Latest tasks</h2>
<ul>${tasks.map((task) => item(call, task)).join('') || '<li>None yet</li>'}</ul>
</body></html>
`;
}

function chatModel(call: Call): string {
  return call.services.catalogue.models.find((model) => model.type === 'chat')?.id ?? 'model';
}

function item(call: Call, task: Task): string {
  const phase = phaseOf(task, call.now);
  const status = phase.status === 'in_progress' ? `${phase.percent}%` : phase.status;
  const [first] = phase.status === 'completed' ? resultUrls(call, task) : [];
  return `<li>${first === undefined ? '' : player(task, escapeXml(first))}
<p>${escapeXml(task.prompt.slice(0, 200))}</p>
<small>${escapeXml(task.model)} · ${status}</small></li>`;
}

function player(task: Task, url: string): string {
  switch (task.kind) {
    case 'image':
      return `<img src="${url}" alt="">`;
    case 'video':
      return `<video src="${url}" controls loop muted></video>`;
    case 'audio':
      return `<audio src="${url}" controls></audio>`;
  }
}
