import { createClient } from './polygate.ts';

const idle = () => undefined;

/** polygate with two hooks that do nothing. */
export const client = createClient({ hooks: { beforeRequest: [idle], afterResponse: [idle] } });
