/** Ends the command without a stack trace if nobody reads its output any more, as in `npx polygate doctor | head -3`. */
export function endWhenOutputCloses(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(141); // what shells report for SIGPIPE, which Node.js ignores
  });
}
