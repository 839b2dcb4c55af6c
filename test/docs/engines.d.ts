/**
 * What the snippets about other engines, clients and runtimes need from them. They are not dependencies of this
 * repository.
 */
declare module '@vercel/otel' {
  export function registerOTel(options: { serviceName: string }): void;
}

declare const Deno: {
  createHttpClient(options: { proxy: { url: string }; caCerts: string[] }): { close(): void };
  env: { get(name: string): string | undefined };
  readTextFile(path: string): Promise<string>;
};

declare module '@happy-dom/global-registrator' {
  export const GlobalRegistrator: { register(): void };
}
