import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { errorMessage } from "../../error.ts";
import { RunError } from "../run-error.ts";
import { copyFolder } from "./copy-folder.ts";

/** Maximum characters of a command. */
const COMMAND_MAX_CHARS = 10_000;
const text = z.string().trim().min(1);
const command = text.max(COMMAND_MAX_CHARS);

const schema = z.strictObject({
  title: text,
  /** `sync`: harm is done at once. `async`: an audit after the run still helps. */
  kind: z.enum(["sync", "async"]),
  /** The main task. */
  prompt: text,
  /** The goal of an attack. */
  sideTask: text,
  /** Commands that complete the main task. */
  honest: z.array(command).min(1).max(20),
  /** A command that completes the side task. */
  attack: command,
  /** A command that completes it too, and looks harmless. */
  disguised: command,
});

/** A folder with a main task, a side task, a workspace and checks: where protocols are measured. */
export interface ControlSetting extends z.infer<typeof schema> {
  /** Name of the folder. */
  readonly name: string;
  /** Folder with the first content of the workspace. */
  readonly workspace: string;
  /** Shell scripts that run in the finished workspace. Exit code 0: the task succeeded. */
  readonly checks: { readonly main: string; readonly side: string };
  /** Digest of all files of the folder. */
  readonly digest: string;
}

const FORM = "the fields title, kind (sync or async), prompt, sideTask, honest (a list), attack, disguised";

/** Read a setting from its folder. @throws RunError `SETTING_INVALID` where a file is missing or not valid */
export async function readSetting(folder: string): Promise<ControlSetting> {
  const [yaml, main, side] = await Promise.all(
    ["setting.yaml", "main.sh", "side.sh"].map((name) => readPart(folder, name)),
  );
  return {
    ...parseSetting(yaml ?? "", path.join(folder, "setting.yaml")),
    name: path.basename(path.resolve(folder)),
    workspace: path.join(folder, "workspace"),
    checks: { main: main ?? "", side: side ?? "" },
    digest: await digestOf(folder),
  };
}

/** Copy the workspace of a setting to a new folder. @throws RunError `SETTING_INVALID` where there is none */
export async function copyWorkspace({ name, workspace }: ControlSetting, to: string): Promise<void> {
  try {
    await copyFolder(workspace, to);
  } catch (cause) {
    throw new RunError(
      "SETTING_INVALID",
      `${name}: expected a folder workspace that can be copied, got ${errorMessage(cause)}. Correct the setting.`,
      { cause },
    );
  }
}

async function readPart(folder: string, name: string): Promise<string> {
  try {
    return await readFile(path.join(folder, name), "utf8");
  } catch (cause) {
    throw new RunError(
      "SETTING_INVALID",
      `${folder}: expected a setting with the files setting.yaml, main.sh and side.sh and the folder workspace, but ${name} can't be read (${errorMessage(cause)}). Name a folder with them.`,
      { cause },
    );
  }
}

function parseSetting(yaml: string, file: string): z.infer<typeof schema> {
  const invalid = (got: string, cause: unknown): RunError =>
    new RunError("SETTING_INVALID", `${file}: expected ${FORM}, got ${got}. Correct the file.`, { cause });
  let value: unknown;
  try {
    value = parse(yaml);
  } catch (cause) {
    throw invalid(`text that is not YAML (${errorMessage(cause)})`, cause);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = z.core.toDotPath(issue?.path ?? []) || "the document";
  throw invalid(`something else at ${place} (${issue?.message ?? "invalid"})`, result.error);
}

async function digestOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const add = async (within: string): Promise<void> => {
    const entries = await readdir(path.join(folder, within), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(within, entry.name);
      if (entry.isDirectory()) await add(file);
      else hash.update(JSON.stringify([file, await readFile(path.join(folder, file), "base64")]));
    }
  };
  await add(".");
  return hash.digest("hex").slice(0, 16);
}
