import path from "node:path";
import type { LoadedSettings } from "../../settings/load.ts";
import { PROJECT_MCP_FILES, type SelectedMcpServers, selectMcpServers } from "../../settings/mcp.ts";
import { selectSandbox } from "../../settings/sandbox.ts";
import type { Io } from "../io.ts";
import { configFolder } from "./config-folder.ts";

/** The MCP servers of a run, and the folder that their processes start in. */
export interface RunMcpServers extends SelectedMcpServers {
  readonly cwd: string;
}

export const runMcpServers = (
  loaded: Pick<LoadedSettings, "settings" | "entries" | "project">,
  workspace: string | undefined,
  { env }: Pick<Io, "env">,
): RunMcpServers => ({
  ...selectMcpServers(loaded, env, selectSandbox(loaded, configFolder({ env })).accesses),
  cwd: loaded.project?.folder ?? path.resolve(workspace ?? "."),
});

/** The files of MCP servers that have no effect, as the project is not trusted. */
export const ignoredMcpFiles = (project: LoadedSettings["project"]): readonly string[] =>
  project === undefined || project.isTrusted
    ? []
    : PROJECT_MCP_FILES.filter((name) => project.texts[name] !== undefined);

/** The values of the settings of servers that may be secret. */
export const secretsOf = ({ servers }: SelectedMcpServers): readonly string[] =>
  Object.values(servers).flatMap((server) =>
    "command" in server
      ? Object.values(server.env ?? {})
      : [...Object.values(server.headers ?? {}), server.oauth?.clientSecret ?? []].flat(),
  );
