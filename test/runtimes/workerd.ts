import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { bundled } from './page-server.ts';
import type { Runtime } from './runtimes.ts';

const configuration = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.bundle.js")],
      # An old one: what a younger date adds must not be needed.
      compatibilityDate = "2024-01-01",
    )),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** Runs the worker in Cloudflare's runtime and asks it over HTTP. */
export const launchWorkerd: Runtime['launch'] = async ({ app, ...options }) => {
  await writeFile(join(app, 'worker.bundle.js'), await bundled('worker.js', app));
  await writeFile(join(app, 'workerd.capnp'), configuration);
  const program = join(app, 'node_modules/workerd/bin/workerd');
  const { version } = JSON.parse(
    await readFile(join(app, 'node_modules/workerd/package.json'), 'utf8'),
  );
  const workerd = spawn(program, ['serve', 'workerd.capnp', '--control-fd=1'], { cwd: app });
  let printed = '';
  workerd.stderr.on('data', (part) => (printed += String(part)));
  const ended = once(workerd, 'exit').then(() => Promise.reject(new Error('It ended')));
  const asked = async () => {
    const [line] = await once(createInterface(workerd.stdout), 'line');
    const url = `http://127.0.0.1:${JSON.parse(line).port}`;
    const body = JSON.stringify(options);
    const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(60_000) });
    return { version, report: await answer.json() };
  };
  try {
    return await Promise.race([asked(), ended]);
  } catch (error) {
    throw new Error(`workerd: ${String(error)}\nIt printed:\n${printed}`, { cause: error });
  } finally {
    ended.catch(() => {});
    workerd.kill();
  }
};
