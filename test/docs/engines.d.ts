/** What the snippets about other engines need from them. They are not dependencies of this repository. */
declare module '@temporalio/workflow' {
  export function proxyActivities<Activities>(options: { startToCloseTimeout: string }): Activities;
  export function sleep(duration: string): Promise<void>;
  export function workflowInfo(): { workflowId: string };
}

declare module 'pg-boss' {
  export default class PgBoss {
    constructor(url: string);
    start(): Promise<this>;
    createQueue(name: string): Promise<void>;
    send(name: string, data: object, options: { startAfter: number }): Promise<string | null>;
    work<Data>(name: string, handler: (jobs: { data: Data }[]) => Promise<void>): Promise<string>;
  }
}
