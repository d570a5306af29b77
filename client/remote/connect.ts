import type { RemoteProcess } from "./lines.ts";
import { RemoteTask } from "./remote-task.ts";

/** What `signalbox` must be started with, to be connected to. */
export const REMOTE_ARGUMENTS: readonly string[] = [
  "run",
  "--print",
  "--stdin-prompt-stream",
  "--output-format",
  "stream-json",
  "--with-messages",
];

/**
 * The task of a `signalbox` that runs as a subprocess, with the face of a `Task`.
 *
 * @param process was started with {@link REMOTE_ARGUMENTS}, with pipes for its input and output
 * @example
 * ```ts
 * import { connect } from "signalbox/client";
 * // spawn("signalbox", [...REMOTE_ARGUMENTS, "--workspace", "."], { stdio: ["pipe", "pipe", "inherit"] })
 * const task = connect(child);
 * task.asks$.subscribe((ask) => ask.kind === "tool" && ask.approve());
 * console.log(await task.run("Make the tests pass"));
 * await task.close();
 * ```
 */
export const connect = (process: RemoteProcess): RemoteTask => new RemoteTask(process);
