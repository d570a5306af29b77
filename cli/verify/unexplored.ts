import type { EventPattern, Formula, OneOf } from "../../tools/temporal/formula.ts";
import { TOOLS } from "../../verify/tools.ts";

/** The fields of a pattern that an exploration has no values for. */
const ABSENT = ["path", "host", "command"] as const;

/** The conditions of a formula that no explored call can meet: `path`, `host`, `command`, and tools by name. */
export function unexploredIn(formula: Formula): readonly string[] {
  return [...new Set(testsIn(formula))];
}

function testsIn(formula: Formula): readonly string[] {
  if ("not" in formula) return testsIn(formula.not);
  if ("and" in formula) return formula.and.flatMap(testsIn);
  if ("or" in formula) return formula.or.flatMap(testsIn);
  if ("implies" in formula) return formula.implies.flatMap(testsIn);
  if ("previous" in formula) return testsIn(formula.previous);
  if ("once" in formula) return testsIn(formula.once);
  if ("historically" in formula) return testsIn(formula.historically);
  if ("since" in formula) return formula.since.flatMap(testsIn);
  if ("atMost" in formula) return testsIn(formula.atMost.of);
  if ("each" in formula)
    return [...ABSENT.filter((field) => field === formula.each.same), ...testsIn(formula.each.of)];
  return testsOf(formula);
}

const testsOf = (pattern: EventPattern): readonly string[] => [
  ...ABSENT.filter((field) => pattern[field] !== undefined || pattern.same === field),
  ...listOf(pattern.tool)
    .filter((name) => !TOOLS.some((tool) => isNamed(tool.name, name)))
    .map((name) => `tool ${name}`),
];

const listOf = (names: OneOf<string> = []): readonly string[] =>
  typeof names === "string" ? [names] : names;

/** A `*` at the end matches any rest. */
const isNamed = (tool: string, name: string): boolean =>
  name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name;
