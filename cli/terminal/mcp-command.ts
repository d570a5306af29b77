import { printable } from "../../client/printable/printable.ts";
import { formatMcpStatus } from "../run/mcp.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

/** Maximum tools of a server that are listed. */
const TOOLS_MAX = 50;

/** `/mcp`: lists the MCP servers with their tools. */
export const mcpCommand: SlashCommand = {
  usage: "/mcp",
  about: "the MCP servers, their state and their tools",
  run: listServers,
};

function listServers({ mcpStates, say }: SlashContext): void {
  const servers = mcpStates();
  if (servers.length === 0) say("No MCP servers. To add one, quit, and run: signalbox mcp add NAME COMMAND");
  for (const { status, tools } of servers) {
    const sentence = formatMcpStatus(status);
    say(printable(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`).replaceAll("\n", " "));
    const more = tools.length > TOOLS_MAX ? `, and ${tools.length - TOOLS_MAX} more` : "";
    const names = tools.slice(0, TOOLS_MAX).join(", ");
    say(printable(tools.length === 0 ? "  no tools" : `  ${names}${more}`));
  }
}
