import { createHash } from 'node:crypto';

import type { Redis } from 'ioredis';

import { isRecord } from '../../../../wire/types/type-guards.ts';

/** A Lua script that Redis runs without interruption. */
export interface LuaScript<Key extends string, Argument extends string> {
  readonly keys: readonly Key[];
  readonly args: readonly Argument[];
  readonly source: string;
  /** Redis keeps scripts by this hash. */
  readonly hash: string;
}

/** Makes a script in which each key and argument is a local variable with its name. */
export function luaScript<const Key extends string, const Argument extends string>(
  { keys, args }: { readonly keys: readonly Key[]; readonly args: readonly Argument[] },
  body: string,
): LuaScript<Key, Argument> {
  const keyNames = `local ${keys.join(', ')} = unpack(KEYS)\n`;
  const argumentNames = args.length === 0 ? '' : `local ${args.join(', ')} = unpack(ARGV)\n`;
  const source = keyNames + argumentNames + body;
  return { keys, args, source, hash: createHash('sha1').update(source).digest('hex') };
}

/** Runs a script. */
export async function runScript<Key extends string, Argument extends string>(
  redis: Redis,
  { keys, args, source, hash }: LuaScript<Key, Argument>,
  keyByName: Readonly<Record<Key, string>>,
  argumentByName: Readonly<Record<Argument, string | number>>,
): Promise<unknown> {
  const values = [
    ...keys.map((name) => keyByName[name]),
    ...args.map((name) => argumentByName[name]),
  ];
  try {
    return await redis.evalsha(hash, keys.length, ...values);
  } catch (error) {
    // Redis forgets scripts when it restarts.
    if (!(isRecord(error) && String(error.message).startsWith('NOSCRIPT'))) throw error;
    return redis.eval(source, keys.length, ...values);
  }
}
