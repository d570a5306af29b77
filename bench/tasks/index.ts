import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  limited,
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
  textPerTask: z.number(),
  open: z.array(z.string()),
  kept: z.number(),
});

/** The memory and resources of tasks at rest. */
export async function tasks({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const sizes = SIZES[size];
  const settle = (folder: string) =>
    withChild("tasks", (child) => child.call("settle", { folder, ...sizes }, Settled), ["--expose-gc"]);
  const { bytesPerTask, textPerTask, open, kept } = await withFolder(settle);
  const detail = `${formatNumber(bytesPerTask / 1000)} KB with ${formatNumber(textPerTask / 1000)} KB of text in 12 messages; ${kept} tasks are held`;
  return [
    limited(
      `memory of a task at rest beyond its text, ${sizes.tasks} tasks`,
      (bytesPerTask - textPerTask) / 1000,
      "KB",
      25,
      detail,
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
