/** As `test/life`, with more random sequences. */
import { browser } from '../../life/browser.ts';
import { batch, chats } from '../../life/journal.ts';
import { commandLine, mcp } from '../../life/state-folder.ts';
import { testLife } from '../../life/suite.ts';

testLife(commandLine, 10_000);
testLife(mcp, 6_000);
testLife(browser, 4_000);
testLife(batch, 3_000);
testLife(chats, 3_000);
