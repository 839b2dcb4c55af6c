// For command-line runtimes: takes the client's options and a folder, runs the scenario and prints its report.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';

import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { createProxyHandler } from 'polygate/proxy';

import { scenario } from './scenario.js';
import { traceCalls } from './telemetry.js';

const [options, folder] = process.argv.slice(2);
const path = join(folder, 'run.jsonl');
const client = JSON.parse(options);
const report = await scenario(client, fileJournal(path), createMockGateway, createProxyHandler);

const traced = await traceCalls(client);

const { apiKey, ...mock } = createMockGateway();
const { baseURL, close } = await listen(mock);
const models = await new Polygate({ apiKey, baseURL }).models.list();
await close();

const journal = (await readFile(path, 'utf8')).includes('succeeded');
console.log(JSON.stringify({ ...report, traced, journal, listens: models.data.length > 0 }));
