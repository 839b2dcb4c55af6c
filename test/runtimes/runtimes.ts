import { launchIn } from './browsers.ts';
import { launchProcess } from './processes.ts';
import type { Runtime } from './runtime.ts';
import { launchWorkerd } from './workerd.ts';

const process = { kind: 'process' } as const;

/** All tested runtimes, in the order of the table in docs/runtimes.md. */
export const runtimes: readonly Runtime[] = [
  ...['20.19.0', '22.12.0', '24.21.0', '26.10.0'].map((version) => {
    const major = version.slice(0, 2);
    const launch = launchProcess(`node${major}/bin/node`);
    return {
      ...process,
      name: `Node ${major}`,
      installs: `node${major}@npm:node@${version}`,
      launch,
    };
  }),
  { ...process, name: 'Bun', installs: 'bun@1.4.5', launch: launchProcess('.bin/bun') },
  {
    ...process,
    name: 'Deno',
    installs: 'deno@2.9.6',
    // Without permission to read the environment, except for the variables that the SDK of OpenTelemetry requires.
    launch: launchProcess('.bin/deno', (folder) => [
      'run',
      '--no-prompt',
      '--allow-net=127.0.0.1',
      '--allow-env=OTEL_*',
      `--allow-read=${folder}`,
      `--allow-write=${folder}`,
    ]),
  },
  { name: 'workerd', installs: 'workerd@1.20261117.1', launch: launchWorkerd, kind: 'worker' },
  ...(['chromium', 'firefox'] as const).flatMap((browser) => {
    const name = browser === 'chromium' ? 'Chromium' : 'Firefox';
    const installs = 'playwright-core@1.61.1';
    return [
      { name, installs, launch: launchIn(browser, '127.0.0.1'), kind: 'page' as const },
      {
        name: `${name}, on plain http`,
        installs,
        launch: launchIn(browser, 'intranet.example'),
        kind: 'plain page' as const,
      },
    ];
  }),
];
