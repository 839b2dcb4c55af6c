import { ConfigurationError } from '../errors/base.ts';
import { unknownNameProblem } from '../wire/types/nearest-name.ts';
import { defaultAssumptions } from './assumptions.ts';
import type { MaterialOptions, MockGatewayOptions, MockKey, TaskOptions } from './options.ts';

/** The names of all options of a type. The compiler reports a missing one. */
export type OptionNames<Options> = Readonly<Record<keyof Required<Options>, true>>;

const gatewayNames: OptionNames<MockGatewayOptions> = {
  clock: true,
  keys: true,
  wallet: true,
  concurrencyLimit: true,
  tasks: true,
  assumptions: true,
  seed: true,
  imageFormat: true,
  models: true,
  latencyMs: true,
  chunkDelayMs: true,
  materials: true,
  maxBodyBytes: true,
  history: true,
  onResponse: true,
  snapshot: true,
  onChange: true,
};
const keyNames: OptionNames<MockKey> = {
  key: true,
  user: true,
  state: true,
  concurrencyLimit: true,
};
const taskNames: OptionNames<TaskOptions> = { durationMs: true, outcome: true, resultTtlMs: true };
const materialNames: OptionNames<MaterialOptions> = {
  creatingMs: true,
  durationMs: true,
  outcome: true,
  deleteMs: true,
};

/** Throws a `ConfigurationError` if the options of a gateway, or the objects in them, have an unknown name. */
export function checkGatewayOptions(options: MockGatewayOptions): void {
  const { keys = [], tasks, materials, wallet, assumptions } = options;
  checkNames(options, gatewayNames);
  for (const [index, key] of keys.entries()) checkNames(key, keyNames, `keys[${index}].`);
  checkNames(tasks, taskNames, 'tasks.');
  checkNames(materials, materialNames, 'materials.');
  checkNames(wallet, { usd: true }, 'wallet.');
  checkNames(assumptions, defaultAssumptions, 'assumptions.');
}

/** Throws a `ConfigurationError` that names the first unknown field of an object, and the known name closest to it. */
export function checkNames(options: object = {}, names: object, prefix = ''): void {
  const problem = unknownNameProblem(options, Object.keys(names), prefix);
  if (problem !== undefined) throw new ConfigurationError(problem);
}
