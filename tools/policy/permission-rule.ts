import type { PermissionLevel } from "../../machines/tool-call/permissions.ts";
import { ToolError } from "../error.ts";
import { EXPECTED_HOST, type HostPattern, parseHostPattern } from "../web/host.ts";
import { type CommandPattern, EXPECTED_COMMAND, parseCommandPattern } from "./command-pattern.ts";
import { EXPECTED_MCP, type McpPattern, parseMcpPattern } from "./mcp-pattern.ts";
import { EXPECTED_GLOB, type PathGlob, parseGlob } from "./path-glob.ts";

/** Rules from one place. */
export interface PermissionSource {
  /** Where the rules come from, such as the path of a file: each decision names it. */
  readonly origin: string;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** Calls that a rule is about. */
type Target =
  | { readonly kind: "read" | "edit"; readonly glob: PathGlob }
  | { readonly kind: "command"; readonly pattern: CommandPattern }
  | { readonly kind: "fetch"; readonly hosts: HostPattern }
  | { readonly kind: "mcp"; readonly pattern: McpPattern }
  | { readonly kind: "tool"; readonly name: string }
  | { readonly kind: "subtask" }
  | { readonly kind: "browser" };

/** A parsed rule. */
export interface Rule {
  readonly level: PermissionLevel;
  readonly text: string;
  readonly origin: string;
  readonly target: Target;
}

const LEVELS = ["deny", "ask", "allow"] as const satisfies readonly PermissionLevel[];

/**
 * The rules of all sources in the order in which they are named: by level, the longest literal prefix first, then by
 * source.
 *
 * @throws ToolError `RULE_INVALID`
 */
export function parseRules(sources: readonly PermissionSource[]): readonly Rule[] {
  return LEVELS.flatMap((level) =>
    sources
      .flatMap(({ origin, [level]: texts = [] }) => texts.map((text) => parseRule(level, text, origin)))
      .sort((a, b) => literalLength(b) - literalLength(a)),
  );
}

function parseRule(level: PermissionLevel, given: string, origin: string): Rule {
  const text = given.trim();
  const target = parseTarget(text);
  if (typeof target !== "string") return { level, text, origin, target };
  throw new ToolError(
    "RULE_INVALID",
    `The rule '${given.slice(0, 200)}' of ${level} in ${origin} is not valid: expected ${target}. Correct it.`,
  );
}

/** The calls that a rule is about, or what was expected. */
function parseTarget(text: string): Target | string {
  if (text === "subtask" || text === "browser") return { kind: text };
  const [, form = "", argument = ""] = /^([a-z]+)\((.*)\)$/s.exec(text) ?? [];
  const parser = PARSERS.get(form);
  return parser?.parse(argument) ?? parser?.expected ?? `one of ${FORMS}`;
}

/** The error of an invalid rule; undefined for a valid one. */
export function ruleError(rule: string): string | undefined {
  const target = parseTarget(rule.trim());
  return typeof target === "string" ? `expected ${target}` : undefined;
}

interface Parser {
  readonly expected: string;
  readonly parse: (argument: string) => Target | undefined;
}

const pathParser = (kind: "read" | "edit"): Parser => ({
  expected: `${kind}(GLOB) with ${EXPECTED_GLOB}`,
  parse: (argument) => {
    const glob = parseGlob(argument);
    return glob && { kind, glob };
  },
});

const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ["read", pathParser("read")],
  ["edit", pathParser("edit")],
  [
    "command",
    {
      expected: `command(WORDS) with ${EXPECTED_COMMAND}`,
      parse: (argument) => {
        const pattern = parseCommandPattern(argument);
        return pattern && { kind: "command", pattern };
      },
    },
  ],
  [
    "fetch",
    {
      expected: `fetch(DOMAIN) with ${EXPECTED_HOST}`,
      parse: (argument) => {
        const hosts = parseHostPattern(argument);
        return hosts && { kind: "fetch", hosts };
      },
    },
  ],
  [
    "mcp",
    {
      expected: `mcp(SERVER/TOOL) with ${EXPECTED_MCP}`,
      parse: (argument) => {
        const pattern = parseMcpPattern(argument);
        return pattern && { kind: "mcp", pattern };
      },
    },
  ],
  [
    "tool",
    {
      expected: "tool(NAME) with the canonical name of a tool",
      parse: (name) => (/^[A-Za-z0-9_-]{1,64}$/.test(name) ? { kind: "tool", name } : undefined),
    },
  ],
]);

const FORMS =
  "read(GLOB), edit(GLOB), command(WORDS), fetch(DOMAIN), mcp(SERVER/TOOL), tool(NAME), subtask and browser";

/** The length of the text before the first `*` or `?`. */
function literalLength({ text }: Rule): number {
  const wild = text.search(/[*?]/);
  return wild < 0 ? text.length : wild;
}
