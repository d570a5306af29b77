import { fork } from "node:child_process";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { Outcome, Work } from "./work.ts";

/** What a child process is to do: one piece of work with one peer. */
export const Job = z.object({
  peer: z.string(),
  /** The folder that the peer is installed in. */
  installed: z.string().optional(),
  url: z.string(),
  folder: z.string(),
  work: Work,
});
export type Job = z.infer<typeof Job>;

/** What a child process sends once. */
export const Report = z.union([z.object({ outcome: Outcome }), z.object({ error: z.string() })]);
export type Report = z.infer<typeof Report>;

/** The result of a job: its outcome, or why there is none. */
export type JobResult = { readonly outcome: Outcome } | { readonly late: true } | { readonly error: string };

/** The child runs like this module: compiled code in Node, source code with tsx. */
const SELF = import.meta.url;
const ENTRY = new URL(SELF.endsWith(".ts") ? "./child.ts" : "./child.js", SELF);
const LOADER = SELF.endsWith(".ts") ? ["--import", "tsx"] : [];

/** Run a job in a process of its own, and kill the process after `limitMs`. */
export async function runJob(job: Job, limitMs: number): Promise<JobResult> {
  const execArgv = [...LOADER, "--expose-gc"];
  const child = fork(ENTRY, [JSON.stringify(job)], { execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const errors = child.stderr === null ? "" : text(child.stderr);
  let isLate = false;
  let report: Report | undefined;
  child.on("message", (message) => {
    report = Report.parse(message);
  });
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, limitMs);
  const [code, signal] = await new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) =>
    child.once("exit", (...end) => resolve(end)),
  );
  clearTimeout(timer);
  if (report !== undefined) return report;
  if (isLate) return { late: true };
  const last = (await errors).trim().split("\n").at(-1) ?? "";
  return { error: `the process ended with ${code ?? signal}: ${last}` };
}
