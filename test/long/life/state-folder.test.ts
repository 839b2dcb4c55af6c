/** As `test/life`, with more random sequences. */
import { commandLine, mcp } from '../../life/state-folder.ts';
import { testLife } from '../../life/suite.ts';

testLife(commandLine, 10_000);
testLife(mcp, 6_000);
