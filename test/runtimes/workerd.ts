import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { bundle } from './page-server.ts';
import type { Runtime } from './runtime.ts';

const configuration = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.bundle.js")],
      # An old date, so that no newer feature is required.
      compatibilityDate = "2024-01-01",
    )),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** Runs the worker in workerd and requests its report over HTTP. */
export const launchWorkerd: Runtime['launch'] = async ({ app, ...options }) => {
  await writeFile(join(app, 'worker.bundle.js'), await bundle('worker.js', app));
  await writeFile(join(app, 'workerd.capnp'), configuration);
  const program = join(app, 'node_modules/workerd/bin/workerd');
  const { version } = JSON.parse(
    await readFile(join(app, 'node_modules/workerd/package.json'), 'utf8'),
  );
  const workerd = spawn(program, ['serve', 'workerd.capnp', '--control-fd=1'], { cwd: app });
  let output = '';
  workerd.stderr.on('data', (part) => (output += String(part)));
  const exited = once(workerd, 'exit').then(() => Promise.reject(new Error('workerd exited')));
  const requestReport = async () => {
    const [line] = await once(createInterface(workerd.stdout), 'line');
    const url = `http://127.0.0.1:${JSON.parse(line).port}`;
    const body = JSON.stringify(options);
    const response = await fetch(url, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(60_000),
    });
    return { version, report: await response.json() };
  };
  try {
    return await Promise.race([requestReport(), exited]);
  } catch (error) {
    throw new Error(`workerd: ${String(error)}\nOutput:\n${output}`, { cause: error });
  } finally {
    exited.catch(() => {});
    workerd.kill();
  }
};
