import { spawnSync } from 'node:child_process';

/** CPU time in ms of a new process that runs a program, an ES module in JavaScript. */
export function processCpu(program: string, cwd: string): number {
  const script = `${program}\nconst { user, system } = process.cpuUsage();\nconsole.log(user + system);\nprocess.exit();`;
  const args = ['--input-type=module', '--eval', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout) / 1_000;
}
