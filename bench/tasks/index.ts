import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  limited,
  median,
  quantile,
  withChild,
  withFolder,
} from "../harness/index.ts";

const SIZES = {
  full: { tasks: 10_000, warm: 300 },
  quick: { tasks: 1_000, warm: 100 },
  tiny: { tasks: 10, warm: 5 },
} as const;

const Settled = z.object({
  bytesPerTask: z.number(),
  bytesPerPassiveTask: z.number(),
  textPerTask: z.number(),
  open: z.array(z.string()),
  kept: z.number(),
});

const Activated = z.object({ copied: z.array(z.number()), replayed: z.array(z.number()) });
const ACTIVATIONS = { full: 300, quick: 100, tiny: 3 } as const;
const MESSAGES = 1000;
/** In KB: memory of a task, beyond its text while it is resident. */
const LIMIT_KB = { resident: 20, passive: 1 } as const;

/** The memory and resources of tasks at rest, resident and passive. */
export async function tasks({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const sizes = SIZES[size];
  const settle = (folder: string) =>
    withChild("tasks", (child) => child.call("settle", { folder, ...sizes }, Settled), ["--expose-gc"]);
  const { bytesPerTask, bytesPerPassiveTask, textPerTask, open, kept } = await withFolder(settle);
  const activate = (folder: string) =>
    withChild("tasks", (child) =>
      child.call("activate", { folder, messages: MESSAGES, times: ACTIVATIONS[size] }, Activated),
    );
  const { copied, replayed } = await withFolder(activate);
  const detail = `${formatNumber(bytesPerTask / 1000)} KB with ${formatNumber(textPerTask / 1000)} KB of text in 12 messages; ${kept} tasks are held`;
  return [
    limited(
      `memory of a task at rest beyond its text, ${sizes.tasks} tasks`,
      (bytesPerTask - textPerTask) / 1000,
      "KB",
      LIMIT_KB.resident,
      detail,
    ),
    limited(
      `memory of a passive task, ${sizes.tasks} tasks`,
      bytesPerPassiveTask / 1000,
      "KB",
      LIMIT_KB.passive,
      "the handle, its journal's lock and the machine's state; no messages",
    ),
    limited(
      `memory of ${sizes.tasks} passive tasks`,
      (bytesPerPassiveTask * sizes.tasks) / 1e6,
      "MB",
      (LIMIT_KB.passive * sizes.tasks) / 1000,
      `measured with ${sizes.tasks} tasks; the same limit for 100,000 tasks is ${LIMIT_KB.passive * 100} MB`,
    ),
    limited(
      `activating a task of ${MESSAGES} messages, p99`,
      quantile(copied, 0.99),
      "ms",
      10,
      `median ${formatNumber(median(copied))} ms; from the journal: median ${formatNumber(median(replayed))} ms`,
    ),
    limited(
      `handles, timers, files and processes of ${sizes.tasks} tasks at rest`,
      open.length,
      "open",
      0,
      open.length === 0 ? "none" : open.slice(0, 5).join(", "),
    ),
  ];
}
