import type { Writable } from "node:stream";
import { main, type ProgramName } from "./main.ts";

/** Run the command in this process, and exit with its code. */
export async function startProcess(name: ProgramName): Promise<never> {
  // A reader that has gone away (`| head`) is handled by the writers.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const code = await main(process.argv.slice(2), process, name);
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  // A kept-alive connection or an open terminal must not keep the process running.
  process.exit(code);
}

/** Resolves when the system has taken the written data, or the reader has gone away. */
function flush(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write("", () => resolve());
  });
}
