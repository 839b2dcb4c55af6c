import { build } from 'esbuild';

import { requestClients } from '../client.ts';
import { processCpu } from '../process-cpu.ts';
import type { Server } from '../processes.ts';
import { completionText } from '../responses.ts';
import type { Row } from '../row.ts';
import { baselineOf, interleave, ratios } from '../stats.ts';

const cwd = new URL('..', import.meta.url).pathname;

const raw = `const response = await fetch(base + '/json/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer sk-bench', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'hi' }] }),
});
const text = JSON.parse(await response.text()).choices[0].message.content;`;

/** A program without types, because removing them takes time: imports the client and sends one request. */
async function coldStart(name: string, base: string): Promise<string> {
  const source =
    name === 'raw'
      ? raw
      : `import { client } from './clients/${name}.ts'; const text = await client.request(base)();`;
  const { outputFiles } = await build({
    stdin: {
      contents: `const base = '${base}'; ${source}
if (text !== '${completionText}') throw new Error('unexpected text: ' + text);`,
      resolveDir: cwd,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // Clients themselves stay separate files, as their users install them.
    external: ['../../../dist/*'],
  });
  return outputFiles[0]!.text.replaceAll('../../../dist/', '../../dist/');
}

/** CPU time of a process that sends one request. */
export async function coldStartRow(server: Server): Promise<Row> {
  const programs = new Map<string, string>();
  for (const name of requestClients) programs.set(name, await coldStart(name, server.base));
  const measure = async (name: string) => processCpu(programs.get(name)!, cwd);
  await interleave(requestClients, 1, measure);
  const cpu = await interleave(requestClients, 9, measure);
  return {
    id: 'cold-start',
    title: 'Cold import and first response',
    unit: '×',
    target: 1.1,
    method:
      'User and system CPU time of a new process that imports the client and gets the response to one request, relative to a process that does the same with fetch and JSON.parse. Includes the start of Node.',
    values: ratios(cpu),
    baseline: `${Math.round(baselineOf(cpu)).toLocaleString('en')} ms`,
  };
}
