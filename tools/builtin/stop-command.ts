import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor } from "../descriptor.ts";
import type { Tool } from "../tool.ts";
import { assertTracked, COMMAND_ID_MAX_CHARS, formatReport, unknownCommand } from "./command-report.ts";

/** Terminates a command in the background. A second call for the same command changes nothing. */
export const stopCommand: Tool = {
  ...defineTool({
    name: "stop_command",
    displayName: "Stop command",
    group: "command",
    effect: "executes",
    replayable: true,
    description:
      "Terminates a command in the background, with all processes that it started, and gives its last output and its end.",
    inputSchema: z.object({
      id: z.string().min(1).max(COMMAND_ID_MAX_CHARS).describe("The id of the command."),
    }),
    describe: ({ id }) => boundedDescriptor({ tool: "stopCommand", id }),
    execute: async ({ id }, { commands: tracked, signal }) => {
      const commands = assertTracked(tracked);
      const report = await commands.stop(id, signal);
      if (report === undefined) throw unknownCommand(id, commands);
      return formatReport(report, ...(report.end === undefined ? [NOT_ENDED] : []));
    },
  }),
  requires: "commands",
};

const NOT_ENDED = "It was sent SIGTERM, and has not ended yet.";
