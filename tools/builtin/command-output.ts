import { RE2JS, RE2JSException } from "re2js";
import { z } from "zod";
import type { CommandReport } from "../../ports/commands.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";
import type { Tool } from "../tool.ts";
import { assertTracked, COMMAND_ID_MAX_CHARS, formatReport, unknownCommand } from "./command-report.ts";

/** Options of the tool `command_output`. */
export interface CommandOutputOptions {
  /** Maximum `wait` argument, in milliseconds. Default 600,000. */
  readonly maxWaitMs?: number;
  /** Wait of a call with a `pattern` and without `wait`, in milliseconds. Default 30,000. */
  readonly defaultWaitMs?: number;
}

/** Maximum characters of a pattern. */
const PATTERN_MAX_CHARS = 1_000;

/** Reads the new output of a command in the background, or waits for it. */
export function commandOutput({
  maxWaitMs = 600_000,
  defaultWaitMs = 30_000,
}: CommandOutputOptions = {}): Tool {
  return {
    ...defineTool({
      name: "command_output",
      displayName: "Read command output",
      group: "command",
      effect: "reads",
      description:
        "Reads what a command in the background has printed since the last call, whether it still runs, and its exit code. With wait, it returns as soon as the command ends, or prints what pattern describes, and at the latest after that time.",
      inputSchema: z.object({
        id: z.string().min(1).max(COMMAND_ID_MAX_CHARS).describe("The id of the command."),
        wait: z
          .number()
          .min(0)
          .max(maxWaitMs / 1000)
          .nullish()
          .describe(`The longest wait, in seconds. Default 0; ${defaultWaitMs / 1000} with a pattern.`),
        pattern: z
          .string()
          .min(1)
          .max(PATTERN_MAX_CHARS)
          .nullish()
          .describe(
            "A regular expression (RE2) that new output is searched for; ^ and $ match at the ends of lines.",
          ),
      }),
      partial: (raw) => {
        const id = textOf(raw, "id");
        return id === undefined ? undefined : descriptor({ id }, PARTIAL_MAX_BYTES);
      },
      describe: (input) => descriptor(input),
      execute: async ({ id, wait, pattern }, { commands: tracked, signal }) => {
        const commands = assertTracked(tracked);
        const matches = pattern == null ? undefined : compile(pattern);
        const timeoutMs = wait == null ? (matches === undefined ? 0 : defaultWaitMs) : wait * 1000;
        const report = await commands.read(id, { timeoutMs, matches, signal });
        if (report === undefined) throw unknownCommand(id, commands);
        return formatReport(report, ...notesOf(report, matches !== undefined, timeoutMs));
      },
    }),
    requires: "commands",
  };
}

interface Arguments {
  readonly id: string;
  readonly wait?: number | null | undefined;
  readonly pattern?: string | null | undefined;
}

const descriptor = ({ id, wait, pattern }: Arguments, maxBytes?: number): string =>
  boundedDescriptor(
    { tool: "commandOutput", id, ...(wait != null && { wait }), ...(pattern != null && { pattern }) },
    maxBytes,
  );

function notesOf(
  { isMatched, end }: CommandReport,
  hasPattern: boolean,
  timeoutMs: number,
): readonly string[] {
  if (hasPattern) return [isMatched ? "The pattern was found." : "The pattern was not found in new output."];
  return end === undefined && timeoutMs > 0 ? [`It did not end within ${timeoutMs / 1000} seconds.`] : [];
}

/** @throws ToolError `PATTERN_INVALID` */
function compile(pattern: string): (output: string) => boolean {
  try {
    const expression = RE2JS.compile(pattern, RE2JS.MULTILINE);
    return (output) => expression.test(output);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ToolError(
      "PATTERN_INVALID",
      `Expected a regular expression of RE2, which has no lookaround and no backreferences, received ${JSON.stringify(pattern.slice(0, 200))} (${error.message.slice(0, 200)}). Correct it.`,
      { cause: error },
    );
  }
}
