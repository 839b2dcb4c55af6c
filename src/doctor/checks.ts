import type { Check } from './check.ts';
import { authentication, keyBalance, readiness, wallet } from './free/account.ts';
import { errorShape } from './free/error-shape.ts';
import { headerPrefix } from './free/header-prefix.ts';
import { materials } from './free/materials.ts';
import { models } from './free/models.ts';
import { openapi } from './free/openapi.ts';
import { pollPaths } from './free/poll-paths.ts';
import { publicEndpoints } from './free/public-endpoints.ts';
import { reachable } from './free/reachable.ts';
import { voices } from './free/voices.ts';
import { chat } from './paid/chat.ts';
import { conflict } from './paid/conflict.ts';
import { download } from './paid/download.ts';
import { imageTask } from './paid/image-task.ts';
import { replay } from './paid/replay.ts';
import { stream } from './paid/stream.ts';

/** All checks, in the order in which they run: later ones use what earlier ones have found out. */
export const checks: readonly Check[] = [
  reachable,
  authentication,
  readiness,
  wallet,
  keyBalance,
  models,
  headerPrefix,
  errorShape,
  pollPaths,
  publicEndpoints,
  materials,
  voices,
  openapi,
  chat,
  stream,
  imageTask,
  replay,
  conflict,
  download,
];
