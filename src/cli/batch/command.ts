export async function runBatch(_args: string[]): Promise<number> { return 1; }
