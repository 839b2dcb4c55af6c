/** A project with the packed package, and the gateway to use. */
export interface LaunchOptions {
  app: string;
  apiKey: string;
  baseURL: string;
}

/** A runtime to test. */
export interface Runtime {
  name: string;
  /** The npm package that provides it. */
  installs: string;
  launch: (options: LaunchOptions) => Promise<{ version: string; report: Record<string, unknown> }>;
  kind: 'process' | 'worker' | 'page' | 'plain page';
}
