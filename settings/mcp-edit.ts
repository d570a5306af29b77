import { changeSettings, edited, NEW_SETTINGS, type SettingsChange } from "./file-edit.ts";
import type { McpServer } from "./schema.ts";

/**
 * Add an MCP server to a settings file, or replace the one with its name. Comments and the order of the file are kept.
 *
 * @throws SettingsError `SETTINGS_INVALID`, `SETTINGS_UNREADABLE` also for a symlink
 */
export function addMcpServer(file: string, name: string, server: McpServer): Promise<SettingsChange> {
  return changeSettings(file, (text = NEW_SETTINGS) =>
    edited(text, file, (document) => document.setIn(["mcpServers", name], document.createNode(server))),
  );
}

/**
 * Remove an MCP server from a settings file. `before` and `after` are the same if it has none with this name.
 *
 * @throws SettingsError `SETTINGS_INVALID`, `SETTINGS_UNREADABLE` also for a symlink
 */
export function removeMcpServer(file: string, name: string): Promise<SettingsChange> {
  return changeSettings(
    file,
    async (text) =>
      text &&
      edited(text, file, (document) => {
        document.deleteIn(["mcpServers", name]);
      }),
  );
}
