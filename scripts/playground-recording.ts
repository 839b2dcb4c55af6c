/** Records "Pull the plug" in Chromium as docs/images/pull-the-plug.webp, for light and dark pages. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import sharp from 'sharp';

import { createFileServer } from '../src/tools/cli/playground.ts';

const pathTo = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const playwright = createRequire(pathTo('playground/package.json')).resolve('playwright-core');
const { chromium } = (await import(playwright)).default;

/** Only the view: the bar and the menu around it would be small and illegible. */
const hideSurroundings = `
.shell { display: block !important }
.top-bar, .menu, .scene-tabs, .plug-code { display: none !important }
.content { height: 100dvh; padding: 1.5rem 1.75rem !important; overflow: hidden }
.plug { gap: 1.25rem }
`;
const [framesPerSecond, width, height] = [10, 1000, 640];

const server = createFileServer(pathTo('dist/playground'));
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--hide-scrollbars'],
});
for (const colorScheme of ['light', 'dark']) {
  const viewport = { width, height };
  const page = await (await browser.newContext({ viewport, colorScheme })).newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const button = page.getByRole('button', { name: 'Pull the plug' });
  await button.waitFor();
  await page.addStyleTag({ content: hideSurroundings });
  const frames: { at: number; image: Buffer }[] = [];
  const takeFrame = async () => {
    const at = Date.now();
    frames.push({ at, image: await page.screenshot() });
  };
  await takeFrame();
  await button.click();
  const start = Date.now();
  let end = Infinity;
  while (Date.now() < end) {
    await takeFrame();
    if (
      end === Infinity &&
      (await page.locator('.plug-verdict', { hasText: 'paid twice' }).count())
    )
      end = Date.now() + 600;
    if (Date.now() - start > 30_000) throw new Error('The recording takes too long');
    await page.waitForTimeout(1000 / framesPerSecond / 2);
  }
  const delay = frames.map(({ at }, index) => {
    const next = frames[index + 1]?.at;
    return index === 0 ? 1200 : next === undefined ? 4000 : next - at;
  });
  const suffix = colorScheme === 'dark' ? '-dark' : '';
  const images = frames.map(({ image }) => image);
  await sharp(images, { join: { animated: true } })
    .webp({ quality: 80, effort: 6, mixed: true, delay, loop: 0 })
    .toFile(pathTo(`docs/images/pull-the-plug${suffix}.webp`));
}
await browser.close();
server.close();
