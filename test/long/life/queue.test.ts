/** As `test/life`, with more random sequences. */
import { testQueueLife } from '../../life/queue-suite.ts';

testQueueLife(2_000);
