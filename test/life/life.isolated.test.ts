import { browser } from './browser.ts';
import { commandLine, mcp } from './state-folder.ts';
import { testLife } from './suite.ts';

testLife(commandLine, 100);
testLife(mcp, 50);
testLife(browser, 50);
