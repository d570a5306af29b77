import { z } from "zod";
import type { CallAsk, Effect, Input } from "../machines/tool-call/index.ts";
import { sayArguments } from "./arguments.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES } from "./descriptor.ts";
import { sayError, ToolError } from "./error.ts";
import type { DescribePorts, RunPorts } from "./ports.ts";
import type { Description, Preparation, PreparedCall, Tool, ToolGroup, ToolResult } from "./tool.ts";

type Describe<TArguments> = (
  input: TArguments,
  ports: DescribePorts,
) => Description | string | Promise<Description | string>;

export interface ToolDefinition<TSchema extends z.ZodObject> {
  /** 1 to 64 letters, digits, `_` and `-`: what the model calls. */
  readonly name: string;
  /** For people; the name by default. */
  readonly displayName?: string;
  /** Other names under which a call is taken; every check sees `name`. */
  readonly aliases?: readonly string[];
  /** `custom` by default. */
  readonly group?: ToolGroup;
  /** Tells the model what the tool is for. */
  readonly description: string;
  /** The arguments. Unknown ones are refused where the tool writes or executes, and dropped elsewhere. */
  readonly input: TSchema;
  readonly effect: Effect;
  /** Whether a call may be run again without harm (L12); by default only one that reads or does nothing. */
  readonly replayable?: boolean;
  /** `tool` by default. */
  readonly ask?: CallAsk;
  /** The partial row's whole text, at most 8 KB, from what has come of the arguments. */
  readonly partial?: (input: Input) => string | undefined;
  /** What a person is shown before the call runs, and what a policy decides by. Changes nothing. */
  readonly describe?: Describe<z.output<TSchema>>;
  /** The same as `describe`. */
  readonly preview?: Describe<z.output<TSchema>>;
  /** Does the work; a string is a text result. What it throws is told to the model. */
  readonly run: (
    input: z.output<TSchema>,
    ports: RunPorts,
  ) => ToolResult | string | Promise<ToolResult | string>;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Makes a tool from its definition: the type of its arguments is closed over, their JSON Schema is derived,
 * and arguments that don't fit become one sentence for the model instead of an exception.
 *
 * @throws ToolError `bad_tool` for a name that no model API takes, or a schema that JSON Schema can't say
 * @example
 * ```ts
 * import { defineTool } from "signalbox/tools";
 * import { z } from "zod";
 * const roll = defineTool({
 *   name: "roll_dice",
 *   description: "Rolls dice.",
 *   input: z.object({ sides: z.int().min(2) }),
 *   effect: "none",
 *   run: ({ sides }) => `You rolled ${sides}.`,
 * });
 * ```
 */
export function defineTool<TSchema extends z.ZodObject>(definition: ToolDefinition<TSchema>): Tool {
  const { name, effect } = definition;
  for (const each of [name, ...(definition.aliases ?? [])]) {
    if (!NAME.test(each)) {
      throw new ToolError(
        "bad_tool",
        `A tool is named ${JSON.stringify(each)}: expected 1 to 64 letters, digits, "_" and "-". Give it such a name.`,
      );
    }
  }
  const reads = effect === "reads" || effect === "none";
  const strict = !reads && definition.input.def.catchall === undefined;
  const known = new Set(Object.keys(definition.input.shape));
  const unknownKeys = (input: Input): readonly string[] =>
    strict ? Object.keys(input).filter((key) => !known.has(key)) : [];
  return {
    name,
    displayName: definition.displayName ?? name,
    aliases: definition.aliases ?? [],
    group: definition.group ?? "custom",
    description: definition.description,
    inputSchema: jsonSchema(name, definition.input, strict),
    effect,
    replayable: definition.replayable ?? reads,
    ask: definition.ask ?? "tool",
    partial: definition.partial ?? ((input) => partialOf(name, input)),
    prepare: (input) => prepare(definition, unknownKeys, input),
  };
}

function prepare<TSchema extends z.ZodObject>(
  definition: ToolDefinition<TSchema>,
  unknownKeys: (input: Input) => readonly string[],
  input: Input,
): Preparation {
  const { name } = definition;
  // A schema's own refinements are foreign code: what they throw is an argument error, not a crash.
  try {
    const parsed = definition.input.safeParse(input);
    if (!parsed.success) return { ok: false, error: sayArguments(name, parsed.error.issues, input) };
    const keys = unknownKeys(input);
    if (keys.length > 0) {
      const issue = { code: "unrecognized_keys" as const, keys: [...keys], path: [], message: "" };
      return { ok: false, error: sayArguments(name, [issue], input) };
    }
    return { ok: true, call: prepared(definition, parsed.data, input) };
  } catch (error) {
    return { ok: false, error: `The arguments of ${name} could not be checked: ${sayError(error)}` };
  }
}

function prepared<TSchema extends z.ZodObject>(
  definition: ToolDefinition<TSchema>,
  parsed: z.output<TSchema>,
  input: Input,
): PreparedCall {
  const describe = definition.describe ?? definition.preview;
  return {
    async describe(ports) {
      if (describe === undefined) return { text: describeOf(definition.name, input), paths: [] };
      const description = await describe(parsed, ports);
      return typeof description === "string" ? { text: description, paths: [] } : description;
    },
    async run(ports) {
      const result = await definition.run(parsed, ports);
      return typeof result === "string" ? { content: [{ type: "text", text: result }] } : result;
    },
  };
}

function jsonSchema(name: string, schema: z.ZodObject, strict: boolean): Tool["inputSchema"] {
  try {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
    return strict ? { ...rest, additionalProperties: false } : rest;
  } catch (error) {
    throw new ToolError(
      "bad_tool",
      `The arguments of tool "${name}" can't be said in JSON Schema: ${sayError(error)}. Use types that JSON has.`,
      { cause: error },
    );
  }
}

function describeOf(name: string, input: Input): string {
  return boundedDescriptor({ tool: name, content: JSON.stringify(input, undefined, 2) });
}

function partialOf(name: string, input: Input): string | undefined {
  if (Object.keys(input).length === 0) return undefined;
  return boundedDescriptor({ tool: name, content: JSON.stringify(input, undefined, 2) }, PARTIAL_MAX_BYTES);
}
