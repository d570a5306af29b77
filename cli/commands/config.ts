import { realpath } from "node:fs/promises";
import path from "node:path";
import { printable } from "../../client/printable/printable.ts";
import type { SettingEntry } from "../../settings/entry.ts";
import { type LoadedSettings, loadSettings, userSettingsFile } from "../../settings/load.ts";
import { mcpServersIn } from "../../settings/mcp.ts";
import { modesIn } from "../../settings/modes/read-modes.ts";
import { settingsJsonSchema } from "../../settings/schema.ts";
import { PROJECT_FILES, trust, untrust } from "../../settings/trust.ts";
import type { Mode } from "../../tools/modes/mode.ts";
import { confirm } from "../confirmation.ts";
import { CliError, EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { PROJECT_FOLDER, textOrJson } from "../options.ts";
import { configFolder } from "../settings/config-folder.ts";
import { withSettingsErrors } from "../settings/load.ts";
import { masked } from "../settings/masked.ts";
import type { Define } from "./command.ts";

interface WorkspaceFlags {
  readonly workspace?: string;
}

interface ConfigShowFlags extends WorkspaceFlags {
  readonly origin?: true;
  readonly format: "text" | "json";
}

interface ConfigTrustFlags extends WorkspaceFlags {
  readonly yes?: true;
}

export const define: Define = (config, { io, end, print }) => {
  config
    .command("show")
    .description("show the settings in effect")
    .option(...PROJECT_FOLDER)
    .option("--origin", "show the file and line, the variable or the flag of each setting")
    .addOption(textOrJson())
    .action(async (flags: ConfigShowFlags) => print(await showConfig(flags, io)));
  config
    .command("schema")
    .description("print the JSON Schema of a settings file")
    .action(() => print(formatSchema()));
  config
    .command("path")
    .description("print the paths of the settings files")
    .option(...PROJECT_FOLDER)
    .action((flags: WorkspaceFlags) => print(formatPaths(flags, io)));
  config
    .command("trust")
    .description("let the settings of a project take effect, until one of its files changes")
    .option(...PROJECT_FOLDER)
    .option("--yes", "don't ask for confirmation")
    .action(async (flags: ConfigTrustFlags) => end(await trustProject(flags, io)));
  config
    .command("untrust")
    .description("stop trusting the settings of a project")
    .option(...PROJECT_FOLDER)
    .action(async (flags: WorkspaceFlags) => print(await untrustProject(flags, io)));
};

/** `config show`: a line for each setting and rule, and what of a project is ignored. */
async function showConfig({ origin, format, ...flags }: ConfigShowFlags, io: Io): Promise<string> {
  const { entries, ignored, project } = await load(flags, io);
  if (format === "json") {
    const shown = { type: "settings", settings: entries.map(masked), ignored: ignored.map(masked) };
    return `${JSON.stringify({ ...shown, project: project && { folder: project.folder, isTrusted: project.isTrusted } })}\n`;
  }
  const withOrigin = (entry: SettingEntry): string =>
    origin === true ? `${formatEntry(entry)}  (${printable(entry.origin)})` : formatEntry(entry);
  const lines = [
    ...entries.map(withOrigin),
    ...ignored.map((entry) => `ignored: ${withOrigin(entry)}: ${entry.reason}`),
  ];
  return lines.length === 0 ? "No settings.\n" : `${lines.join("\n")}\n`;
}

/** `config schema`: the JSON Schema. */
const formatSchema = (): string => `${JSON.stringify(settingsJsonSchema(), undefined, 2)}\n`;

/** `config path`: the user's file, then the project's. */
const formatPaths = ({ workspace = "." }: WorkspaceFlags, io: Io): string =>
  `${userSettingsFile(configFolder(io))}\n${path.resolve(workspace, PROJECT_FILES[0])}\n`;

/** `config trust`: shows what would take effect, and asks. Returns the exit code. */
async function trustProject({ yes, ...flags }: ConfigTrustFlags, io: Io): Promise<number> {
  const { project, ignored } = await load(flags, io);
  if (project === undefined)
    throw new CliError(`the workspace ${path.resolve(flags.workspace ?? ".")} does not exist. Name another.`);
  const commands = Object.keys(project.commands.texts);
  const files = [...PROJECT_FILES.filter((name) => project.texts[name] !== undefined), ...commands];
  if (files.length === 0 || project.isTrusted) {
    io.stdout.write(
      files.length === 0
        ? `${project.folder} has no settings to trust.\n`
        : `${project.folder} is trusted already.\n`,
    );
    return EXIT.done;
  }
  const gained = [
    ...ignored.filter(({ needsTrust }) => needsTrust).map(formatEntry),
    ...(await withSettingsErrors(() => mcpServersIn(project))).map(formatEntry),
    ...(await withSettingsErrors(() => modesIn(project))).map(formatMode),
    ...commands.map((file) => `slash command: ${printable(file)}`),
  ];
  const rest = ignored.filter(({ needsTrust }) => !needsTrust).map(formatEntry);
  io.stdout.write(
    [
      `Files of ${project.folder}: ${printable(files.join(", "))}`,
      gained.length === 0 ? "No further settings would take effect." : "These settings would take effect:",
      ...gained.map((line) => `  ${line}`),
      ...(rest.length === 0
        ? []
        : ["These are never read from a project:", ...rest.map((line) => `  ${line}`)]),
      "",
    ].join("\n"),
  );
  if (yes !== true) {
    const answer = await confirm(
      "Trust them until one of the files changes?",
      "Pass --yes to trust them.",
      io,
    );
    if (answer === "interrupted") return EXIT.interrupted;
    if (answer === "no") {
      io.stdout.write("Nothing was changed.\n");
      return EXIT.failed;
    }
  }
  await withSettingsErrors(() => trust(project, configFolder(io)));
  io.stdout.write(`Trusted: ${project.folder}\n`);
  return EXIT.done;
}

/** `config untrust`. */
async function untrustProject({ workspace = "." }: WorkspaceFlags, io: Io): Promise<string> {
  const folder = await realpath(workspace).catch(() => path.resolve(workspace));
  const was = await withSettingsErrors(() => untrust({ folder }, configFolder(io)));
  return was ? `No longer trusted: ${folder}\n` : `${folder} was not trusted.\n`;
}

const load = ({ workspace = "." }: WorkspaceFlags, io: Io): Promise<LoadedSettings> =>
  withSettingsErrors(() => loadSettings({ configDir: configFolder(io), workspace, env: io.env }));

/** A mode on one line, with all that a model would read. */
const formatMode = ({ slug, origin = "", ...mode }: Mode): string =>
  printable(`modes.${slug}: ${JSON.stringify(mode)}  (${origin})`);

/** A setting on one line. */
function formatEntry(entry: SettingEntry): string {
  const { path: names, value } = masked(entry);
  return printable(
    `${names.join(".")}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  ).replaceAll("\n", " ");
}
