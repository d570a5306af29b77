import type { ResolvedPath } from "../../ports/workspace.ts";
import { expand } from "../command-line/command-forms.ts";
import { splitCommand, type Word } from "../command-line/command-parts.ts";
import { DEFAULT_SHELL, isPosixShell } from "../command-line/programs.ts";
import { coversCommand, coversWords, findInWords, type Match } from "../policy/command-pattern.ts";
import { coversTool, findsTool, type McpPattern } from "../policy/mcp-pattern.ts";
import { spellingsOf } from "../policy/path-glob.ts";
import type { Rule } from "../policy/permission-rule.ts";
import type { PolicyCall, PolicyFacts } from "../policy/policy.ts";
import type { Description, McpTool } from "../tool.ts";
import { type HostPattern, parseHost } from "../web/host.ts";

/** A part of a call that is judged alone: a call is allowed if each of its items is. */
export type Item =
  | { readonly kind: "path"; readonly path: ResolvedPath; readonly spellings: readonly string[] }
  | {
      readonly kind: "command";
      readonly raw: string;
      readonly words: readonly Word[];
      /** The words of every command that it may run. */
      readonly forms: readonly (readonly Word[])[];
    }
  /** `host`: undefined if what the call names is not a host. */
  | { readonly kind: "host"; readonly name: string; readonly host: string | undefined }
  | { readonly kind: "mcp"; readonly used: McpTool }
  /** An effect that an earlier call was approved to begin. */
  | { readonly kind: "continuation" }
  /** A call without any of these. */
  | { readonly kind: "call" };

/** The facts of a tool call that the judges share: the call as it is given, and the parts that rules are about. */
export interface JudgedCall extends Pick<PolicyFacts, "description" | "workspace"> {
  readonly tool: PolicyCall["tool"];
  readonly input: PolicyCall["input"];
  readonly items: readonly Item[];
  /** The completion of a subtask. */
  readonly isSubtaskCompletion: boolean;
  /** The reason why a person must see it, whatever is allowed. */
  readonly doubt?: string;
  /** Whether the doubt is only about what a command line runs. */
  readonly isUnknownLine: boolean;
  /** Whether it is a command that runs in a sandbox, in mode `auto`, which then asks about none. */
  readonly isContained: boolean;
  /** Whether `.rooignore` may deny what it uses. */
  readonly isIgnored: boolean;
  /** Whether the command line has output to a file. */
  readonly writesFile: boolean;
  /** Whether the task has an intent, and no mode allows what the call changes. */
  readonly isUnscoped: boolean;
}

/** The facts of a call. They are computed once, for all judges. */
export function judgedCall({ tool, input }: PolicyCall, facts: PolicyFacts): JudgedCall {
  const { description, workspace } = facts;
  const { paths, command, ignoredPath } = description;
  const isSubtaskCompletion = tool.ask === "completion_result" && facts.subtask === true;
  const unusable = paths.find(({ inside, ignored }) => !inside || ignored);
  const place =
    unusable &&
    `'${unusable.path}' is ${unusable.inside ? "blocked by .rooignore" : "outside the workspace"}`;
  const isIgnored = ignoredPath !== undefined || paths.some(({ ignored }) => ignored);
  const isUnscoped = facts.isUnscoped === true;
  const common = { tool, input, description, workspace, isSubtaskCompletion, isIgnored, isUnscoped };
  const isContained = facts.isContained === true && facts.permissions?.mode === "auto";
  const outside = outsideItems(facts.description);
  if (tool.effect !== "executes" || command === undefined) {
    const items = paths.map(
      (path): Item => ({
        kind: "path",
        path,
        spellings: spellingsOf(facts.workspace, path),
      }),
    );
    return {
      ...common,
      items: orCall([...items, ...outside]),
      ...(place && { doubt: place }),
      ...{ isUnknownLine: false, isContained: false, writesFile: false },
    };
  }
  const { parts, unsupported, writes } = splitCommand(command);
  const judged = parts.map((part) => ({ ...part, ...expand(part) }));
  const uncertain = judged.find((part) => part.uncertain);
  const syntax =
    unsupported[0] !== undefined
      ? `the command line has ${unsupported[0]}`
      : uncertain && `what '${uncertain.raw.slice(0, 200)}' runs is known only at run time`;
  const unknown = otherShell(facts) ?? syntax;
  const doubt = place ?? ignoredPath ?? unknown;
  const items = judged.map(({ raw, words, forms }): Item => ({ kind: "command", raw, words, forms }));
  return {
    ...common,
    items: orCall([...items, ...outside]),
    ...(doubt && { doubt }),
    isUnknownLine: doubt !== undefined && doubt === unknown,
    isContained,
    writesFile: writes.length > 0,
  };
}

function otherShell({ shell = DEFAULT_SHELL }: PolicyFacts): string | undefined {
  return isPosixShell(shell) ? undefined : `the shell '${shell.slice(0, 200)}' is not a POSIX shell`;
}

/** The hosts and servers that a call uses outside of the workspace, besides its paths and command. */
const outsideItems = ({ fetches, mcp, continues }: Description): readonly Item[] => [
  ...(fetches === undefined ? [] : [{ kind: "host", name: fetches, host: parseHost(fetches) } as const]),
  ...(mcp === undefined ? [] : [{ kind: "mcp", used: mcp } as const]),
  ...(continues === true ? [{ kind: "continuation" } as const] : []),
];

const orCall = (items: readonly Item[]): readonly Item[] => (items.length === 0 ? [{ kind: "call" }] : items);

/** Whether an allow rule matches this item of a call exactly. */
export function covers({ target }: Rule, { tool, isSubtaskCompletion }: JudgedCall, item: Item): boolean {
  if (target.kind === "tool") return target.name === tool.name;
  if (target.kind === "subtask") return tool.effect === "delegates" || isSubtaskCompletion;
  if (target.kind === "browser") return isBrowser(tool) && item.kind === "continuation";
  if (target.kind === "command") return item.kind === "command" && coversCommand(target.pattern, item.words);
  if (target.kind === "fetch")
    return (
      isFetch(tool) && item.kind === "host" && item.host !== undefined && target.hosts.matches(item.host)
    );
  if (target.kind === "mcp")
    return tool.group === "mcp" && item.kind === "mcp" && coversTool(target.pattern, item.used);
  const isOfKind =
    target.kind === "edit" ? tool.effect === "writes" : tool.group === "read" && tool.effect === "reads";
  return isOfKind && item.kind === "path" && item.path.inside && target.glob.covers(item.spellings);
}

/** Whether an allow rule matches a command, but leaves open which program runs in the end. */
export const isTooWide = ({ level, target }: Rule, item: Item): boolean =>
  level === "allow" &&
  target.kind === "command" &&
  item.kind === "command" &&
  coversWords(target.pattern, item.words) &&
  !coversCommand(target.pattern, item.words);

/** Whether a deny or ask rule matches this item of a call, under any name and behind any wrapper. */
export function finds({ target }: Rule, { tool }: JudgedCall, item: Item): Match {
  if (target.kind === "tool") return target.name === tool.name ? "yes" : "no";
  // A subtask's completion is not denied: the subtask could not end.
  if (target.kind === "subtask") return tool.effect === "delegates" ? "yes" : "no";
  if (target.kind === "browser") return isBrowser(tool) ? "yes" : "no";
  if (target.kind === "fetch") return findsHost(target.hosts, tool, item);
  if (target.kind === "mcp") return findsMcp(target.pattern, tool, item);
  if (target.kind !== "command") return findsPath(target, tool, item);
  const found = item.kind === "command" ? item.forms.map((form) => findInWords(target.pattern, form)) : [];
  if (found.includes("yes")) return "yes";
  return found.includes("maybe") ? "maybe" : "no";
}

const isBrowser = ({ requires }: PolicyCall["tool"]): boolean => requires === "browser";

/** Whether a tool does nothing but to read from the web, or to show it in a browser without accounts. */
const isFetch = (tool: PolicyCall["tool"]): boolean =>
  tool.group === "fetch" && (tool.effect === "reads" || isBrowser(tool));

function findsHost(hosts: HostPattern, { group }: PolicyCall["tool"], item: Item): Match {
  if (item.kind === "host" && item.host !== undefined) return hosts.matches(item.host) ? "yes" : "no";
  return item.kind === "host" || (item.kind === "call" && group === "fetch") ? "maybe" : "no";
}

function findsMcp(pattern: McpPattern, { group }: PolicyCall["tool"], item: Item): Match {
  if (item.kind === "mcp") return findsTool(pattern, item.used) ? "yes" : "no";
  return item.kind === "call" && group === "mcp" ? "maybe" : "no";
}

/** Tools that give no content of a file below their paths. */
const SHALLOW: ReadonlySet<string> = new Set(["read_file", "list_files", "glob"]);

function findsPath(
  { kind, glob }: Extract<Rule["target"], { kind: "read" | "edit" }>,
  { name, group, effect, requires }: PolicyCall["tool"],
  item: Item,
): Match {
  const isOfKind =
    kind === "edit" ? group === "edit" || effect === "writes" : group === "read" || effect === "reads";
  if (!isOfKind || item.kind === "command") return "no";
  // Skills and artifacts are read by name, the web by URL. Another tool without paths may use any file.
  if (item.kind !== "path") return requires === undefined && group !== "fetch" ? "maybe" : "no";
  if (glob.touches(item.spellings)) return "yes";
  const isDeep = kind === "read" && !SHALLOW.has(name);
  return isDeep && glob.mayTouchBelow(item.spellings) ? "maybe" : "no";
}
