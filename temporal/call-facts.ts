import type { Effect, Input } from "../machines/tool-call/index.ts";
import type { PolicyEvent } from "./event.ts";

/** What policies know of a tool call from its name and arguments. */
export type CallFacts = Pick<PolicyEvent, "tool" | "effect" | "paths" | "command" | "hosts">;

/** The effect of a tool by its name, in lower case and without `_` and `-`: of this package and of other agents. */
const EFFECTS: Readonly<Record<Effect, string>> = {
  reads:
    "read readfile view cat ls listfiles glob grep search searchfiles codebasesearch webfetch fetch websearch readartifact skill commandoutput",
  writes:
    "write writefile writetofile edit editfile multiedit applydiff applypatch searchreplace searchandreplace strreplace strreplaceeditor create insert notebookedit",
  executes: "bash shell exec executecommand runcommand runterminalcmd stopcommand browseraction usemcptool",
  delegates: "newtask task agent",
  asks: "askfollowupquestion askuserquestion attemptcompletion",
  none: "updatetodolist todowrite switchmode",
};

const BY_NAME: ReadonlyMap<string, Effect> = new Map(
  (["reads", "writes", "executes", "delegates", "asks", "none"] as const).flatMap((effect) =>
    EFFECTS[effect].split(" ").map((name) => [name, effect] as const),
  ),
);

/** The effect of a known tool. Undefined for another one. */
export const effectOf = (name: string): Effect | undefined =>
  BY_NAME.get(name.toLowerCase().replaceAll(/[_-]/g, ""));

const PATH_KEYS = ["path", "file_path", "filePath", "filename", "notebook_path", "paths", "files", "file"];
const URL_KEYS = ["url", "urls", "uri"];
const COMMAND_KEYS = ["command", "cmd", "script"];
/** A line of a patch that names a file. */
const PATCHED =
  /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$|^(?:---|\+\+\+) (?:[ab]\/)?(.+)$/gm;
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
  };
}

/** The texts of an argument: itself, those of a list, and the paths of objects in a list. */
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
export function relativeTo(workspace: string | undefined, path: string): string {
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
