/** As `test/life`, with more random sequences. */
import { batch, chats } from '../../life/journal.ts';
import { testLife } from '../../life/suite.ts';

testLife(batch, 3_000);
testLife(chats, 3_000);
