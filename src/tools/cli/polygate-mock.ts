#!/usr/bin/env node
import { runMock } from './mock/command.ts';

const code = await runMock('polygate-mock', process.argv.slice(2));
if (code !== undefined) process.exitCode = code;
