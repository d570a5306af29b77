import { printable } from "../../client/printable/printable.ts";
import { SettingsError } from "../../settings/error.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { modesIn } from "../../settings/modes/read-modes.ts";
import type { ProjectFiles } from "../../settings/trust.ts";
import type { Mode } from "../../tools/modes/mode.ts";
import { createModes, type Modes } from "../../tools/modes/modes.ts";
import { withSettingsErrors } from "./load.ts";

const MODE_FILES = [".signalbox/modes.yaml", ".roomodes"] as const;

type Loaded = Pick<LoadedSettings, "project" | "settings" | "entries">;

/**
 * The custom modes of a run, from a trusted project.
 *
 * @throws CliError for a file that is not valid, and for a first mode that does not exist
 */
export function readRunModes(loaded: Loaded): Promise<readonly Mode[]> {
  return withSettingsErrors(async () => {
    const { project } = loaded;
    const custom = project?.isTrusted === true ? await modesIn(project) : [];
    assertMode(loaded, createModes(custom));
    return custom;
  });
}

/** The files of custom modes that have no effect, as the project is not trusted. */
export function ignoredModeFiles(project: LoadedSettings["project"]): readonly string[] {
  if (project === undefined || project.isTrusted) return [];
  return modeFilesOf(project);
}

const modeFilesOf = ({ texts }: ProjectFiles): readonly string[] =>
  MODE_FILES.filter((name) => texts[name] !== undefined);

function assertMode({ settings: { mode }, entries, project }: Loaded, modes: Modes): void {
  if (mode === undefined || modes.find(mode) !== undefined) return;
  const origin = entries.find(({ path: [first] }) => first === "mode")?.origin ?? "mode";
  const slugs = modes.list.map(({ slug }) => slug).join(", ");
  const ignored = ignoredModeFiles(project);
  const hint = ignored.length === 0 ? "" : ` The modes of ${ignored.join(" and ")} are not trusted.`;
  throw new SettingsError(
    "SETTINGS_INVALID",
    `${origin}: expected the slug of a mode (${slugs}), received '${printable(mode.slice(0, 100))}'.${hint} Name one of them.`,
  );
}
