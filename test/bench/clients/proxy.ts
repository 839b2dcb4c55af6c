import { forwardingClient } from '../forwarding.ts';

export const client = forwardingClient({});
