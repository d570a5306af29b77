import { argumentOf } from "../../tools/temporal/event.ts";
import type { EventPattern, Formula, OneOf } from "../../tools/temporal/formula.ts";
import { compileFormulas, type Program } from "../../tools/temporal/program.ts";
import { TOOLS } from "../../verify/tools.ts";

/** The fields of a pattern that an exploration has no values for. */
const ABSENT = ["path", "host", "command"] as const;

/** The conditions of a formula that no explored call can meet: `path`, `host`, `command`, arguments, and tools by name. */
export const unexploredIn = (formula: Formula): readonly string[] => [
  ...new Set(patternsIn(compileFormulas([formula])).flatMap(testsOf)),
];

const patternsIn = ({ instructions }: Program): readonly EventPattern[] =>
  instructions.flatMap((one) => {
    if (one.op === "event") return [one.pattern];
    return one.op === "each" ? [{ same: one.variable }, ...patternsIn(one.body)] : [];
  });

const testsOf = ({ same, tool, ...pattern }: EventPattern): readonly string[] => [
  ...ABSENT.filter((field) => pattern[field] !== undefined || same === field),
  ...(same !== undefined && argumentOf(same) !== undefined ? [same] : []),
  ...listOf(tool)
    .filter((name) => !TOOLS.some((known) => isNamed(known.name, name)))
    .map((name) => `tool ${name}`),
];

const listOf = (names: OneOf<string> = []): readonly string[] =>
  typeof names === "string" ? [names] : names;

/** A `*` at the end matches any rest. */
const isNamed = (tool: string, name: string): boolean =>
  name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name;
