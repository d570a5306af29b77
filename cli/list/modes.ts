import path from "node:path";
import { printable } from "../../client/printable/printable.ts";
import { SettingsError } from "../../settings/error.ts";
import { readModes } from "../../settings/modes/read-modes.ts";
import type { Mode, ModePermission } from "../../tools/modes/mode.ts";
import { createModes } from "../../tools/modes/modes.ts";
import { CliError } from "../error.ts";
import type { ChoiceFlags } from "./choices.ts";

const BUILT_IN = "built in";

/** `list modes`: slug, name and origin, tab-separated; or `{ modes }` with groups and when to use them. */
export async function listModes({ workspace, format }: ChoiceFlags): Promise<string> {
  const modes = createModes(await customModes(path.resolve(workspace ?? "."))).list;
  if (format === "json") return `${JSON.stringify({ modes: modes.map(toJson) }, undefined, 2)}\n`;
  return modes.map(({ slug, name, origin = BUILT_IN }) => `${slug}\t${oneLine(name)}\t${origin}\n`).join("");
}

const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, " ");

async function customModes(workspace: string): Promise<readonly Mode[]> {
  try {
    return await readModes(workspace);
  } catch (error) {
    if (error instanceof SettingsError) throw new CliError(error.message, { cause: error });
    throw error;
  }
}

const toJson = ({ slug, name, whenToUse, permissions, origin = BUILT_IN }: Mode) => ({
  slug,
  name,
  whenToUse,
  groups: permissions.map(toGroup),
  origin,
});

/** A group as `.signalbox/modes.yaml` has it. */
function toGroup(permission: ModePermission): unknown {
  if (permission.group !== "edit" || permission.files === undefined) return permission.group;
  const { pattern: files, description } = permission.files;
  return { edit: { files, description } };
}
