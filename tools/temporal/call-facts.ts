import type { Effect, Input } from "../../machines/tool-call/call.ts";
import { ARGUMENT_NAME_MAX_CHARS, EFFECTS, type PolicyEvent } from "./event.ts";

/** The facts of a tool call for policies, from its name and arguments. */
export type CallFacts = Pick<
  PolicyEvent,
  "tool" | "effect" | "paths" | "command" | "hosts" | "arguments" | "notCompared"
>;

/** Tools of this package and of other agents by their effect. Case, `_` and `-` do not matter. */
const TOOLS: Readonly<Record<Effect, string>> = {
  reads:
    "read read_file view cat ls list_files glob grep search search_files codebase_search web_fetch fetch web_search read_artifact skill command_output",
  writes:
    "write write_file write_to_file edit edit_file multi_edit apply_diff apply_patch search_replace search_and_replace str_replace str_replace_editor create insert notebook_edit",
  executes:
    "bash shell exec execute_command run_command run_terminal_cmd stop_command browser_action use_mcp_tool",
  delegates: "new_task task agent",
  asks: "ask_followup_question ask_user_question attempt_completion",
  none: "update_todo_list todo_write switch_mode",
};

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

const BY_NAME: ReadonlyMap<string, Effect> = new Map(
  EFFECTS.flatMap((effect) => TOOLS[effect].split(" ").map((name) => [plain(name), effect] as const)),
);

/** The effect of a known tool. Undefined for another one. */
const effectOf = (name: string): Effect | undefined => BY_NAME.get(plain(name));

const PATH_KEYS = ["path", "file_path", "filePath", "filename", "notebook_path", "paths", "files", "file"];
const URL_KEYS = ["url", "urls", "uri"];
const COMMAND_KEYS = ["command", "cmd", "script"];
/** A line of a patch that names a file. */
const PATCHED =
  /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$|^(?:---|\+\+\+) (?:[ab]\/)?(.+)$/gm;
/** Maximum characters of a value of an argument. A longer one is not compared. */
const VALUE_MAX_CHARS = 1_000;
/** Maximum paths and hosts of one call; further ones make it a call of any path. */
const VALUES_MAX = 1_000;

/** The facts of a call. `workspace`: absolute paths below it are relative to it. */
export function callFacts(
  tool: string,
  input: Input,
  { effect = effectOf(tool), workspace }: { readonly effect?: Effect; readonly workspace?: string } = {},
): CallFacts {
  const command = effect === "executes" || effect === undefined ? commandIn(input) : undefined;
  const patch = [input.patch, input.diff, input.input].filter((text) => typeof text === "string").join("\n");
  const patched = effect === "writes" ? [...patch.matchAll(PATCHED)].map(([, a, b]) => a ?? b ?? "") : [];
  const named = [...PATH_KEYS.flatMap((key) => textsIn(input[key])), ...patched].filter(
    (text) => text !== "" && text !== "/dev/null",
  );
  const paths = [...new Set(named.map((path) => relativeTo(workspace, path)))].slice(0, VALUES_MAX);
  const hosts = [...new Set(URL_KEYS.flatMap((key) => textsIn(input[key])).map(hostIn))].slice(0, VALUES_MAX);
  return {
    tool,
    ...(effect !== undefined && { effect }),
    ...(paths.length > 0 && { paths }),
    ...(command !== undefined && { command }),
    ...(hosts.length > 0 && { hosts }),
    ...argumentsIn(input),
  };
}

/** The arguments that can be compared: each a short text, number or boolean, or a list of them. Others have no value. */
function argumentsIn(input: Input): Pick<CallFacts, "arguments" | "notCompared"> {
  const compared = new Map<string, readonly string[]>();
  const notCompared = new Set<string>();
  for (const [name, value] of leavesOf(input)) {
    const given: readonly unknown[] = Array.isArray(value) ? value : [value];
    const texts = given.slice(0, VALUES_MAX + 1).flatMap((each) => scalarText(each) ?? []);
    const isWhole = texts.length === given.length && texts.length <= VALUES_MAX;
    if (!isWhole && value !== null && value !== undefined) notCompared.add(name);
    else if (texts.length > 0) compared.set(name, [...new Set([...(compared.get(name) ?? []), ...texts])]);
  }
  return {
    ...(compared.size > 0 && { arguments: Object.fromEntries(compared) }),
    ...(notCompared.size > 0 && { notCompared: [...notCompared] }),
  };
}

/** The arguments that are no objects, with those in objects: their names have dots. */
function* leavesOf(input: object, prefix = ""): Generator<readonly [name: string, value: unknown]> {
  for (const [key, value] of Object.entries(input)) {
    const name = `${prefix}${key}`;
    if (name.length > ARGUMENT_NAME_MAX_CHARS) continue;
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      yield* leavesOf(value, `${name}.`);
    else yield [name, value];
  }
}

function scalarText(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  const text = String(value);
  return text.length > VALUE_MAX_CHARS ? undefined : text;
}

/** The texts of an argument: itself, the texts of a list, and the paths of objects in a list. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => textsIn(each));
  if (typeof value !== "object" || value === null) return [];
  return "path" in value && typeof value.path === "string" ? [value.path] : [];
}

function commandIn(input: Input): string | undefined {
  for (const key of COMMAND_KEYS) {
    const value = input[key];
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return textsIn(value).map(quoted).join(" ");
  }
  return undefined;
}

const quoted = (word: string): string =>
  /^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The host of a URL. A text that is no URL stays, and may be any host. */
const hostIn = (text: string): string => (URL.canParse(text) ? new URL(text).hostname : text);

/** A path with forward slashes, without `.` and `..` where possible, relative to the workspace if it is inside. */
function relativeTo(workspace: string | undefined, path: string): string {
  const slashed = path.replaceAll("\\", "/");
  const root = workspace?.replace(/\/+$/, "");
  const inside = root !== undefined && (slashed === root || slashed.startsWith(`${root}/`));
  const rest = inside ? slashed.slice(root.length + 1) : slashed;
  const names: string[] = [];
  for (const name of rest.split("/")) {
    if (name === "." || (name === "" && names.length > 0)) continue;
    if (name === ".." && names.length > 0 && names.at(-1) !== "..") names.pop();
    else names.push(name);
  }
  return names.join("/") || ".";
}
