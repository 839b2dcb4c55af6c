#!/usr/bin/env node
import { endWhenOutputCloses } from './closed-output.ts';
import { runMock } from './mock/command.ts';

endWhenOutputCloses();
const code = await runMock('polygate-mock', process.argv.slice(2));
if (code !== undefined) process.exitCode = code;
