import type { LoadedSettings } from "../../settings/load.ts";
import type { IgnoredSetting } from "../../settings/project.ts";
import { quoteArgument } from "../command-line.ts";
import { ignoredCommandFiles } from "./commands.ts";
import { ignoredMcpFiles } from "./mcp.ts";
import { ignoredModeFiles } from "./modes.ts";

/** The settings of a project that have no effect, and the advice; empty if all have one. Names, no values. */
export function formatIgnored(
  { ignored, project }: Pick<LoadedSettings, "ignored" | "project">,
  workspace: string | undefined,
): string {
  const untrusted = [
    ...namesOf(ignored.filter(({ needsTrust }) => needsTrust)),
    ...ignoredModeFiles(project).map((file) => `custom modes (${file})`),
    ...ignoredMcpFiles(project).map((file) => `MCP servers (${file})`),
  ];
  const commands = ignoredCommandFiles(project);
  if (commands.length > 0)
    untrusted.push(`slash commands (${commands.length} ${commands.length === 1 ? "file" : "files"})`);
  const never = namesOf(ignored.filter(({ needsTrust }) => !needsTrust));
  const trust = [
    "signalbox config trust",
    ...(workspace === undefined ? [] : ["-w", quoteArgument(workspace)]),
  ];
  return [
    ...(untrusted.length === 0
      ? []
      : [
          `the settings of ${project?.folder} are not trusted, so these are ignored: ${untrusted.join(", ")}. To look at them and trust them: ${trust.join(" ")}`,
        ]),
    ...(never.length === 0
      ? []
      : [`these settings are never read from a project, and are ignored: ${never.join(", ")}.`]),
  ]
    .map((line) => `[CLI] Warning: ${line}\n`)
    .join("");
}

const namesOf = (ignored: readonly IgnoredSetting[]): readonly string[] => [
  ...new Set(ignored.map(({ path, origin }) => `${path.join(".")} (${origin})`)),
];
