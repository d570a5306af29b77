import { fork } from "node:child_process";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { Outcome } from "./outcome.ts";
import { Work } from "./work.ts";

/** What a child process is to do: one piece of work with one peer. */
export const Job = z.object({
  peer: z.string(),
  /** The folder that the peer is installed in. */
  installed: z.string().optional(),
  url: z.string(),
  prompt: z.string(),
  folder: z.string(),
  work: Work,
  /** Maximum CPU time of the process. */
  limitMs: z.number(),
});
export type Job = z.infer<typeof Job>;

/** What a child process sends once. */
export const JobResult = z.union([
  z.object({ outcome: Outcome }),
  /** The process took longer than the limit. */
  z.object({ late: z.literal(true) }),
  z.object({ error: z.string() }),
]);
export type JobResult = z.infer<typeof JobResult>;

/** A process that can't watch its CPU time is killed after this many times the limit. */
const WALL_TIMES = 5;

/** The child runs like this module: compiled code in Node, source code with tsx. */
const SELF = import.meta.url;
const ENTRY = new URL(SELF.endsWith(".ts") ? "./child.ts" : "./child.js", SELF);
const LOADER = SELF.endsWith(".ts") ? ["--import", "tsx"] : [];

/** Run a job in a process of its own. */
export async function runJob(job: Job): Promise<JobResult> {
  const execArgv = [...LOADER, "--expose-gc"];
  const child = fork(ENTRY, [JSON.stringify(job)], { execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const errors = child.stderr === null ? Promise.resolve("") : text(child.stderr);
  let result: JobResult | undefined;
  child.on("message", (message) => {
    result = JobResult.parse(message);
  });
  const timer = setTimeout(() => {
    result = { late: true };
    child.kill("SIGKILL");
  }, WALL_TIMES * job.limitMs);
  const [code, signal] = await new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) =>
    child.once("exit", (...end) => resolve(end)),
  );
  clearTimeout(timer);
  const last = (await errors).trim().split("\n").at(-1) ?? "";
  return result ?? { error: `the process ended with ${code ?? signal}: ${last}` };
}
