import type { Config } from '../config/config.ts';
import type { ApiCall } from './api-call.ts';
import type { CheckedOptions } from './request/request-options.ts';

/** The time limits of a call. */
export interface CallLimits {
  /** The time that one attempt may take, in ms. */
  readonly timeout: number;
  /** The time that the whole call may take, in ms; Infinity if it is not limited. */
  readonly totalTimeout: number;
  /** When `totalTimeout` ends, in monotonic ms. */
  readonly deadline: number;
}

/**
 * The time limits of a call that begins `now`, in monotonic ms. An option of the call takes precedence over the endpoint,
 * and the endpoint over the client. A call that is only a part of another one has the deadline of the whole.
 */
export function limitsOf(
  config: Pick<Config, 'timeout' | 'totalTimeout'>,
  now: number,
  options: Pick<CheckedOptions, 'timeout' | 'totalTimeout' | 'deadline'> = {},
  endpoint: Pick<ApiCall, 'timeout'> = {},
): CallLimits {
  const { totalTimeout = config.totalTimeout ?? Infinity } = options;
  return {
    timeout: options.timeout ?? endpoint.timeout ?? config.timeout,
    totalTimeout,
    deadline: options.deadline ?? now + totalTimeout,
  };
}

/** The time in which a part of the client has to be loaded, in ms: no more than an attempt may take. */
export function loadTime({ timeout, totalTimeout }: CallLimits): number {
  return Math.min(timeout, totalTimeout);
}
