import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { main } from "../../cli/main.ts";

/** The streams and the environment of a process, in memory. */
export const silentIo = () =>
  Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });

/** The command in this process, to its end. */
export async function signalbox(...args: readonly string[]) {
  const io = silentIo();
  const code = await main(args, io);
  return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(io.stderr.read() ?? "") };
}
