import { testQueueLife } from './queue-suite.ts';

testQueueLife(30);
