import { z } from "zod";
import {
  APPROVERS,
  ARGUMENT_NAME_MAX_CHARS,
  AUTHORS,
  EFFECTS,
  EVENT_KINDS,
  OUTCOMES,
  VARIABLES,
  type Variable,
  VERDICTS,
} from "./event.ts";
import type { EventPattern, Formula } from "./formula.ts";
import { compilePattern, FIELDS } from "./pattern.ts";
import { COMPILE_LIMITS } from "./program.ts";

type Path = readonly PropertyKey[];

/** Maximum entries of a list in a formula. */
const LIST_MAX = 200;
/** Maximum characters of a text in a formula. */
const TEXT_MAX_CHARS = 1_000;
/** Maximum count of `atMost`. */
const COUNT_MAX = 1_000_000;

const text = z.string().min(1).max(TEXT_MAX_CHARS);
const oneOf = <T extends z.ZodType>(value: T) =>
  z.union([value, z.array(value).min(1).max(LIST_MAX)]).exactOptional();

const ArgumentName = z.string().min(1).max(ARGUMENT_NAME_MAX_CHARS);
const Bound = z.union([z.enum(VARIABLES), z.templateLiteral(["argument.", ArgumentName])]);
const ArgumentValue = z.union([text, z.number(), z.boolean()]);

const Pattern = z.strictObject({
  event: oneOf(z.enum(EVENT_KINDS)),
  tool: oneOf(text),
  effect: oneOf(z.enum(EFFECTS)),
  path: oneOf(text),
  host: oneOf(text),
  command: oneOf(text),
  argument: z
    .record(ArgumentName, z.union([ArgumentValue, z.array(ArgumentValue).min(1).max(LIST_MAX)]))
    .exactOptional(),
  outcome: oneOf(z.enum(OUTCOMES)),
  by: z.enum(APPROVERS).exactOptional(),
  verdict: oneOf(z.enum(VERDICTS)),
  author: z.enum(AUTHORS).exactOptional(),
  score: z.record(text, z.strictObject({ over: z.number() })).exactOptional(),
  mode: oneOf(text),
  same: Bound.exactOptional(),
}) satisfies z.ZodType<EventPattern>;

const Count = z.int().min(0).max(COUNT_MAX);

const OPERATORS = [
  ...["not", "and", "or", "implies", "previous", "once", "historically", "since", "atMost", "each"],
];

/** A formula as a file has it. Each problem has its path, so that a reader can name its line. */
export const FormulaSchema = z.unknown().transform((value, context): Formula => {
  const parser = new FormulaParser((path, message) =>
    context.addIssue({ code: "custom", path: [...path], message, input: value }),
  );
  return parser.parse(value, [], undefined);
});

/** The formula in place of one that is not valid. */
const INVALID: Formula = {};

class FormulaParser {
  readonly #fail: (path: Path, message: string) => void;
  #count = 0;

  constructor(fail: (path: Path, message: string) => void) {
    this.#fail = fail;
  }

  parse(value: unknown, path: Path, bound: Variable | undefined): Formula {
    this.#count += 1;
    if (this.#count > COMPILE_LIMITS.formulas) {
      if (this.#count === COMPILE_LIMITS.formulas + 1)
        this.#fail(
          path,
          `expected at most ${COMPILE_LIMITS.formulas} subformulas, received more. Shorten it.`,
        );
      return INVALID;
    }
    if (!isObject(value))
      return this.#reject(path, "a formula: an operator or the fields of an event", value);
    const keys = Object.keys(value);
    const operator = keys.find((key) => OPERATORS.includes(key));
    if (operator === undefined) return this.#pattern(value, path, bound);
    if (keys.length > 1) {
      const other = keys.find((key) => key !== operator) ?? operator;
      return this.#reject([...path, other], `nothing beside ${operator}`, other);
    }
    return this.#operation(operator, value[operator], [...path, operator], bound);
  }

  #operation(operator: string, value: unknown, path: Path, bound: Variable | undefined): Formula {
    const one = (): Formula => this.parse(value, path, bound);
    switch (operator) {
      case "not":
        return { not: one() };
      case "previous":
        return { previous: one() };
      case "once":
        return { once: one() };
      case "historically":
        return { historically: one() };
      case "and":
        return { and: this.#list(value, path, bound) };
      case "or":
        return { or: this.#list(value, path, bound) };
      case "implies":
        return { implies: this.#pair(value, path, bound) };
      case "since":
        return { since: this.#pair(value, path, bound) };
      case "atMost":
        return this.#atMost(value, path, bound);
      default:
        return this.#each(value, path, bound);
    }
  }

  #list(value: unknown, path: Path, bound: Variable | undefined): readonly Formula[] {
    if (!Array.isArray(value) || value.length > LIST_MAX) {
      this.#reject(path, `a list of at most ${LIST_MAX} formulas`, value);
      return [];
    }
    return value.map((each: unknown, index) => this.parse(each, [...path, index], bound));
  }

  #pair(value: unknown, path: Path, bound: Variable | undefined): readonly [Formula, Formula] {
    if (!Array.isArray(value) || value.length !== 2) {
      const invalid = this.#reject(path, "a list of two formulas", value);
      return [invalid, invalid];
    }
    const [first, second]: readonly unknown[] = value;
    return [this.parse(first, [...path, 0], bound), this.parse(second, [...path, 1], bound)];
  }

  #atMost(value: unknown, path: Path, bound: Variable | undefined): Formula {
    const { count, of } = this.#fields(value, path, ["count", "of"]);
    const parsed = Count.safeParse(count);
    if (!parsed.success)
      return this.#reject([...path, "count"], `a whole number from 0 to ${COUNT_MAX}`, count);
    return { atMost: { count: parsed.data, of: this.parse(of, [...path, "of"], bound) } };
  }

  #each(value: unknown, path: Path, bound: Variable | undefined): Formula {
    if (bound !== undefined) return this.#reject(path, "no each within each", value);
    const { same, of } = this.#fields(value, path, ["same", "of"]);
    const parsed = Bound.safeParse(same);
    if (!parsed.success)
      return this.#reject([...path, "same"], [...VARIABLES, "argument.NAME"].join(", "), same);
    return { each: { same: parsed.data, of: this.parse(of, [...path, "of"], parsed.data) } };
  }

  #fields(value: unknown, path: Path, names: readonly string[]): Readonly<Record<string, unknown>> {
    if (!isObject(value)) {
      this.#reject(path, `an object with ${names.join(" and ")}`, value);
      return {};
    }
    const other = Object.keys(value).find((key) => !names.includes(key));
    if (other !== undefined) this.#reject([...path, other], `one of ${names.join(", ")}`, other);
    return value;
  }

  #pattern(value: Readonly<Record<string, unknown>>, path: Path, bound: Variable | undefined): Formula {
    const parsed = Pattern.safeParse(value);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) {
        const isUnknown = issue.code === "unrecognized_keys";
        const field = String((isUnknown ? issue.keys : issue.path)[0] ?? "");
        this.#reject([...path, field], expectedOf(field), isUnknown ? field : value[field]);
      }
      return INVALID;
    }
    const { same } = parsed.data;
    if (same !== undefined && same !== bound)
      return this.#reject([...path, "same"], `it within each with same: ${same}`, same);
    return this.#compilable(parsed.data, path);
  }

  #compilable(pattern: EventPattern, path: Path): Formula {
    for (const field of FIELDS.filter((name) => name in pattern)) {
      try {
        compilePattern({ [field]: pattern[field] }, "may");
      } catch (error) {
        this.#fail([...path, field], error instanceof Error ? error.message : String(error));
      }
    }
    return pattern;
  }

  #reject(path: Path, expected: string, came: unknown): Formula {
    this.#fail(path, `expected ${expected}, received ${describe(came)}. Correct it.`);
    return INVALID;
  }
}

function expectedOf(field: string): string {
  const schema: unknown = Reflect.get(Pattern.shape, field);
  if (schema === undefined) return `one of ${[...OPERATORS, ...FIELDS].join(", ")}`;
  if (field === "event") return `one or several of ${EVENT_KINDS.join(", ")}`;
  if (field === "verdict") return `one or several of ${VERDICTS.join(", ")}`;
  if (field === "argument") return "texts, numbers or booleans by the names of arguments";
  if (field === "score") return "{ over: SCORE } by the names of monitors";
  return `${field} as in the reference of policies: a value, or a list of values`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length} entries`;
  return typeof value === "object" ? "an object" : `'${String(value).slice(0, 60)}'`;
}
