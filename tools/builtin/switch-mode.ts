import { z } from "zod";
import { MODE_SLUG } from "../../machines/task/mode.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { neverRuns } from "./asks.ts";

const REASON_MAX_CHARS = 20_000;

const input = z.object({
  mode_slug: z
    .string()
    .regex(MODE_SLUG, "expected the slug of a mode, such as code, ask or architect")
    .describe("The slug of the mode to switch to, such as code, ask or architect."),
  reason: z.string().max(REASON_MAX_CHARS).nullish().describe("Why this mode suits the work better."),
});

/** Switches the task to another mode. */
export const switchMode = defineTool({
  name: "switch_mode",
  displayName: "Switch mode",
  group: "always",
  effect: "none",
  replayable: false,
  ask: "tool",
  description:
    "Asks to switch this task to another mode. Use it when the work needs tools or files that the current mode does not permit.",
  inputSchema: input,
  partial: (raw) => {
    const mode = textOf(raw, "mode_slug");
    if (mode === undefined) return undefined;
    return descriptor({ mode, reason: textOf(raw, "reason") }, PARTIAL_MAX_BYTES);
  },
  describe: ({ mode_slug: mode, reason }) => descriptor({ mode, reason }),
  switchesTo: ({ mode_slug: mode }) => mode,
  execute: neverRuns("switch_mode", "applied by the task"),
});

function descriptor(
  { mode, reason }: { readonly mode: string; readonly reason?: string | null | undefined },
  maxBytes?: number,
): string {
  return boundedDescriptor({ tool: "switchMode", mode, reason: reason ?? undefined }, maxBytes);
}

/** Mode and reason of a switch_mode call. Undefined if the arguments are invalid. */
export function modeOf(call: unknown): { readonly mode: string; readonly reason: string } | undefined {
  const parsed = input.safeParse(call);
  if (!parsed.success) return undefined;
  return { mode: parsed.data.mode_slug, reason: parsed.data.reason ?? "" };
}
