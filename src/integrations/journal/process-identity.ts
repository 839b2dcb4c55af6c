import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** Identifies a process even where process ids repeat: in containers, and after a restart of the machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Identifies the set of process ids that `pid` belongs to. */
  readonly host: string;
  /** When the process started; undefined if the system does not report it. */
  readonly startedAt?: string | undefined;
}

/** The identity of this process. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const { pid } = process;
  return { pid, host: await hostId(), startedAt: (await processState(pid))?.startedAt };
}

/** On Linux, each container has its own process ids, and its host name may be that of another container. */
async function hostId(): Promise<string> {
  if (process.platform !== 'linux') return hostname();
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch {
    // Only whether the lock is renewed shows whether the process is alive.
    return `unknown ${crypto.randomUUID()}`;
  }
}

/** Whether a process of this host is alive, and not another one that has reused its id. */
export async function isAlive({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to another user.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  const state = await processState(pid);
  if (state === undefined || startedAt === undefined) return true;
  // A process that was killed stays a zombie until its parent notices, which may never happen in a container.
  return state.startedAt === startedAt && !/[ZX]/.test(state.status);
}

/** What Linux reports about a process; undefined elsewhere, and for processes of other users if they are hidden. */
async function processState(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is the name of the program, which can contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [status] = fields;
  const startedAt = fields[19];
  return status !== undefined && startedAt !== undefined ? { status, startedAt } : undefined;
}
