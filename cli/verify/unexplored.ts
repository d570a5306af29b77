import type { Protocol } from "../../control/protocol.ts";
import { argumentOf } from "../../tools/temporal/event.ts";
import type { EventPattern, Formula, OneOf } from "../../tools/temporal/formula.ts";
import { compileFormulas, patternsIn } from "../../tools/temporal/program.ts";
import { TOOLS } from "../../verify/tools.ts";

/** The fields of a pattern that an exploration has no values for. */
const ABSENT = ["path", "host", "command"] as const;

/**
 * The conditions of a formula that no explored event can meet: `path`, `host`, `command`, arguments, tools by name, and
 * without the protocol its verdicts and scores.
 */
export const unexploredIn = (formula: Formula, protocol: Protocol | undefined): readonly string[] => [
  ...new Set(
    patternsIn(compileFormulas([formula])).flatMap((pattern) => [
      ...testsOf(pattern),
      ...controlTestsOf(pattern, protocol),
    ]),
  ),
];

/** The conditions about a protocol: any of them without one, and scores of monitors that it does not have. */
function controlTestsOf(
  { event, verdict, author, score = {} }: EventPattern,
  protocol: Protocol | undefined,
): readonly string[] {
  const isControl = listOf(event).some((kind) => kind.endsWith(".judged")) || verdict !== undefined;
  const monitors = Object.keys(score).filter((name) => !Object.hasOwn(protocol?.monitors ?? {}, name));
  return [
    ...(protocol === undefined && (isControl || author !== undefined) ? ["protocol"] : []),
    ...monitors.map((name) => `score of ${name}`),
  ];
}

const testsOf = ({ same, tool, argument = {}, ...pattern }: EventPattern): readonly string[] => [
  ...ABSENT.filter((field) => pattern[field] !== undefined || same === field),
  ...(same !== undefined && argumentOf(same) !== undefined ? [same] : []),
  ...Object.keys(argument).map((name) => `argument.${name}`),
  ...listOf(tool)
    .filter((name) => !TOOLS.some((known) => isNamed(known.name, name)))
    .map((name) => `tool ${name}`),
];

const listOf = (names: OneOf<string> = []): readonly string[] =>
  typeof names === "string" ? [names] : names;

/** A `*` at the end matches any rest. */
const isNamed = (tool: string, name: string): boolean =>
  name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name;
