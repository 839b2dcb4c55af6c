import { Redis } from 'ioredis';

import { redisStore } from '../../../dist/proxy/redis.js';
import { limitedClient } from '../forwarding.ts';

export const client = limitedClient(redisStore(new Redis(process.env.BENCH_REDIS_URL!)));
