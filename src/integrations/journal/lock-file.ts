/**
 * A lock that ends with its process. Each process that wants the lock first creates its own file, and then looks for
 * those of others: of two processes, at least one sees the file of the other. Files of dead processes are removed. So
 * there is no moment at which a file that looks abandoned can belong to a process that has just acquired the lock.
 */
import { open, readdir, readFile, rm, stat, readlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { ConfigurationError } from '../../errors/base.ts';
import { createError, nothingSent } from '../../errors/message.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { finalPath } from '../node/final-path.ts';

/** What a lock file contains. */
interface Claim extends ProcessIdentity {
  /** Whether its process has the lock. Otherwise it still looks for other processes, and may give up. */
  readonly isHeld: boolean;
  /** Grows while the process is alive. */
  readonly beat: number;
}

/** How often a lock is renewed, and after what silence the process of another container or machine counts as dead. */
export interface LockTiming {
  readonly beatMs: number;
  readonly silenceMs: number;
}

const defaultTiming: LockTiming = { beatMs: 1_000, silenceMs: 10_000 };

/** A lock that this process has. */
export interface FileLock {
  /** Whether this process still has it: another one takes it over after a long silence. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/**
 * Locks a file. Both processes may give up if they claim the lock at the same moment, so they try again.
 *
 * @throws `ConfigurationError` with the pid of the process that has the lock.
 */
export async function lockFile(
  path: string,
  timing = defaultTiming,
  purpose = 'journal',
  reason = 'Two runs of one batch at the same time could pay twice. Wait until it has ended.',
  charge: string | null = nothingSent,
): Promise<FileLock> {
  // All links to a file share its lock.
  const target = finalPath(path);
  const identity = await ownIdentity();
  for (;;) {
    const own = await OwnClaim.create(target, identity);
    let other: Claim | undefined;
    try {
      await own.claim();
      other = await findOther(target, own.path, timing);
      if (!other) {
        await own.hold(timing.beatMs);
        return own;
      }
    } catch (error) {
      await own.release();
      throw error;
    }
    await own.release();
    if (other.isHeld) {
      const summary = `${purpose}: '${path}' is in use by ${holderOf(other, identity)}. ${reason}`;
      throw createError(ConfigurationError, { summary, charge: charge ?? undefined }, {});
    }
    await sleep(10 + Math.random() * 90);
  }
}

/** The claim of this process. */
class OwnClaim implements FileLock {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #identity: ProcessIdentity;
  #beat = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(path: string, file: FileHandle, identity: ProcessIdentity) {
    this.path = path;
    this.#file = file;
    this.#identity = identity;
  }

  static async create(target: string, identity: ProcessIdentity): Promise<OwnClaim> {
    const path = `${target}.${crypto.randomUUID()}.lock`;
    return new OwnClaim(path, await open(path, 'wx', 0o600), identity);
  }

  claim(): Promise<void> {
    return this.#write(false);
  }

  async hold(beatMs: number): Promise<void> {
    await this.#write(true);
    // An error here only means that the beat is missing.
    this.#timer = setInterval(() => void this.#write(true).catch(() => undefined), beatMs);
    // The lock must not keep the process alive.
    this.#timer.unref();
  }

  async isHeld(): Promise<boolean> {
    return stat(this.path).then(
      () => true,
      () => false,
    );
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await rm(this.path, { force: true });
    await this.#file.close();
  }

  /** Overwrites the file in place, so that it is never empty and never missing. */
  async #write(isHeld: boolean): Promise<void> {
    this.#beat += 1;
    const claim: Claim = { ...this.#identity, isHeld, beat: this.#beat };
    await this.#file.write(`${JSON.stringify(claim).padEnd(300)}\n`, 0);
  }
}

/**
 * Finds a claim of another process that is alive, preferably one that has the lock. Removes those of dead processes.
 */
async function findOther(
  target: string,
  own: string,
  timing: LockTiming,
): Promise<Claim | undefined> {
  const { host } = await ownIdentity();
  const prefix = `${basename(target)}.`;
  const names = (await readdir(dirname(target))).filter(
    (name) => name.startsWith(prefix) && /^[\da-f-]{36}\.lock$/.test(name.slice(prefix.length)),
  );
  let found: Claim | undefined;
  for (const name of names) {
    const path = join(dirname(target), name);
    if (path === own) continue;
    const claim = await readClaim(path, host, timing);
    if (claim === undefined) await rm(path, { force: true });
    else if (!found?.isHeld) found = claim;
  }
  return found;
}

/** Reads a claim. Returns undefined if its process is dead or has given up. */
async function readClaim(
  path: string,
  host: string,
  { silenceMs, beatMs }: LockTiming,
): Promise<Claim | undefined> {
  const first = await readText(path);
  const claim = parseClaim(first);
  if (first === undefined) return undefined;
  // Nothing is known about processes of other containers and machines but whether they renew their claims.
  if (claim?.host === host) return (await isAlive(claim)) ? claim : undefined;
  const giveUpAt = performance.now() + silenceMs;
  while (performance.now() < giveUpAt) {
    await sleep(beatMs / 4);
    const text = await readText(path);
    if (text === undefined) return undefined;
    if (text !== first) return parseClaim(text) ?? claim;
  }
  return undefined;
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function parseClaim(text = ''): Claim | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return undefined;
    const { pid, host, startedAt, isHeld, beat } = value;
    if (typeof pid !== 'number' || typeof host !== 'string') return undefined;
    return {
      pid,
      host,
      startedAt: typeof startedAt === 'string' ? startedAt : undefined,
      isHeld: isHeld === true,
      beat: Number(beat),
    };
  } catch {
    return undefined;
  }
}

/** Which process has a lock. */
function holderOf({ pid, host }: Claim, own: ProcessIdentity): string {
  if (host !== own.host) return `process ${pid} of another container or machine`;
  return pid === own.pid ? `this process (pid ${pid}) already` : `process ${pid}`;
}

/** Identifies a process even where process ids repeat: in containers, and after a restart of the machine. */
interface ProcessIdentity {
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
async function isAlive({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
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
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is the name of the program, which can contain spaces and parentheses.
  const fields = line?.slice(line.lastIndexOf(')') + 2).split(' ') ?? [];
  const [status] = fields;
  const startedAt = fields[19];
  return status !== undefined && startedAt !== undefined ? { status, startedAt } : undefined;
}
