/**
 * What the snippets about other runtimes and packages need from them, which are not dependencies of this repository.
 */
declare const Deno: {
  createHttpClient(options: { proxy: { url: string }; caCerts: string[] }): { close(): void };
  env: { get(name: string): string | undefined };
  readTextFile(path: string): Promise<string>;
};

declare module '@happy-dom/global-registrator' {
  export const GlobalRegistrator: { register(): void };
}
