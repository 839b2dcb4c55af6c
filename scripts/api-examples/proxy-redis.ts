/** Examples of the API reference for `polygate/proxy/redis`. */
import { Redis } from 'ioredis';
import { redisStore } from 'polygate/proxy/redis';

// For RedisClient, RedisStoreOptions
export function storeOfApp() {
  return redisStore(new Redis('redis://localhost:6379'), { prefix: 'my-app' });
}
