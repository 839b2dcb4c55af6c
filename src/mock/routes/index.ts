import type { Endpoint } from '../http/endpoint.ts';
import { accountRoutes, modelRoutes } from './catalog.ts';
import { chatRoutes } from './chat.ts';
import { homeRoutes } from './home.ts';
import { materialRoutes } from './materials.ts';
import { mediaRoutes } from './media.ts';
import { publicRoutes } from './public.ts';
import { imageRoutes, audioRoutes, videoRoutes } from './tasks.ts';
import { undocumentedRoutes } from './undocumented.ts';
import { voiceRoutes } from './voices.ts';

/** All endpoints of the gateway. */
export const endpoints: readonly Endpoint[] = [
  ...publicRoutes,
  ...accountRoutes,
  ...modelRoutes,
  ...chatRoutes,
  ...imageRoutes,
  ...videoRoutes,
  ...audioRoutes,
  ...voiceRoutes,
  ...materialRoutes,
  ...mediaRoutes,
  ...undocumentedRoutes,
  ...homeRoutes,
];
