import { limitedClient } from '../forwarding.ts';

export const client = limitedClient();
