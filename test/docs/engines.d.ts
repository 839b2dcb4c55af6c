/**
 * What the snippets about other engines, clients and runtimes need from them. They are not dependencies of this
 * repository.
 */
declare module '@vercel/otel' {
  export function registerOTel(options: { serviceName: string }): void;
}

declare module '@fal-ai/client' {
  interface Update {
    status: string;
  }
  interface Result {
    data: { images: { url: string }[] };
  }

  export const fal: {
    subscribe(
      model: string,
      options: { input: object; onQueueUpdate: (update: Update) => void },
    ): Promise<Result>;
    queue: {
      submit(model: string, options: { input: object }): Promise<{ request_id: string }>;
      status(model: string, options: { requestId: string }): Promise<Update>;
      result(model: string, options: { requestId: string }): Promise<Result>;
    };
  };
}

declare module 'replicate' {
  interface Prediction {
    id: string;
  }

  export default class Replicate {
    run(model: `${string}/${string}`, options: { input: object }): Promise<{ url(): URL }[]>;
    wait(prediction: Prediction): Promise<Prediction>;
    predictions: {
      create(options: { model: string; input: object }): Promise<Prediction>;
      get(id: string): Promise<Prediction>;
    };
  }
}

declare const Deno: {
  createHttpClient(options: { proxy: { url: string }; caCerts: string[] }): { close(): void };
  env: { get(name: string): string | undefined };
  readTextFile(path: string): Promise<string>;
};

declare module '@happy-dom/global-registrator' {
  export const GlobalRegistrator: { register(): void };
}
