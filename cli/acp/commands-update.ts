import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { RunCommand } from "../run/settings.ts";

/** The slash commands that send a prompt. */
export const commandsUpdate = (commands: readonly RunCommand[]): SessionUpdate => ({
  sessionUpdate: "available_commands_update",
  availableCommands: commands.map(({ name, description, argumentHint, origin }) => ({
    name,
    description: description ?? origin,
    ...(argumentHint !== undefined && { input: { hint: argumentHint } }),
  })),
});
