/** As `test/life`, with more random sequences. */
import { browser } from '../../life/browser.ts';
import { testLife } from '../../life/suite.ts';

testLife(browser, 4_000);
