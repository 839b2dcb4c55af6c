/**
 * What the snippets about other engines, clients and runtimes need from them. They are not dependencies of this
 * repository.
 */
declare module '@temporalio/workflow' {
  type ActivityInterfaceFor<Activities> = { [Name in keyof Activities]: Activities[Name] };

  export const proxyActivities: <Activities>(options: {
    startToCloseTimeout: string;
  }) => ActivityInterfaceFor<Activities>;
  export function sleep(duration: string): Promise<void>;
  export function workflowInfo(): { workflowId: string };
}

declare module '@vercel/otel' {
  export function registerOTel(options: { serviceName: string }): void;
}

declare module '@ai-sdk/otel' {
  import type { Telemetry } from 'ai';

  export const OpenTelemetry: new () => Telemetry;
}

declare module 'pg-boss' {
  export interface Job<Data> {
    id: string;
    data: Data;
  }

  export class PgBoss {
    constructor(url: string);
    start(): Promise<this>;
    createQueue(
      name: string,
      options: { retryLimit: number; retryBackoff: boolean },
    ): Promise<void>;
    send(name: string, data: object, options: { startAfter: number }): Promise<string | null>;
    work(name: string, handler: (jobs: Job<never>[]) => Promise<void>): Promise<string>;
  }
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

declare module 'expo/fetch' {
  export const fetch: typeof globalThis.fetch;
}

declare module '@react-native-async-storage/async-storage' {
  const storage: {
    getItem(key: string): Promise<string | null>;
    setItem(key: string, value: string): Promise<void>;
    removeItem(key: string): Promise<void>;
  };
  export default storage;
}

declare module 'react-native' {
  import type { ReactElement } from 'react';

  export const AppState: {
    addEventListener(name: 'change', listener: (state: string) => void): { remove: () => void };
  };
  export function Button(props: {
    title: string;
    disabled?: boolean;
    onPress: () => void;
  }): ReactElement;
  export function Image(props: { source: { uri: string } }): ReactElement;
}

declare module '@happy-dom/global-registrator' {
  export const GlobalRegistrator: { register(): void };
}
