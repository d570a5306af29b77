import { flush } from "./flush.ts";
import { main } from "./main.ts";
import type { ProgramName } from "./program-name.ts";

/** Runs the command in this process, to its end. */
export async function startProcess(name: ProgramName): Promise<never> {
  // A reader that has gone away (`| head`) is no defect of ours: who writes to it sees to that.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const code = await main(process.argv.slice(2), process, name);
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  // A connection that is kept alive, or a terminal that is read, must not keep a process that is done.
  process.exit(code);
}
