import { z } from "zod";
import type { IsolatedFiles } from "../machines/conversation/isolated-files.ts";
import type { Amendment, CallAsk, Effect, Input } from "../machines/tool-call/call.ts";
import type { Grant } from "../machines/tool-call/grant.ts";
import type { SubtaskOrder } from "../machines/tool-call/subtask-order.ts";
import type { WakeUpChange } from "../machines/tool-call/wake-up.ts";
import { argumentKeys } from "./argument-keys.ts";
import { formatArgumentIssues } from "./arguments.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES } from "./descriptor.ts";
import { formatError, ToolError } from "./error.ts";
import type { DescribePorts, RunPorts } from "./ports.ts";
import type {
  AmendedCall,
  AmendedPreparation,
  Description,
  Preparation,
  PreparedCall,
  Tool,
  ToolGroup,
  ToolResult,
} from "./tool.ts";

type Describe<TArguments> = (
  input: TArguments,
  ports: DescribePorts,
) => Description | string | Promise<Description | string>;

export interface ToolDefinition<TSchema extends z.ZodObject> {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** Name for the user. Default: `name`. */
  readonly displayName?: string;
  /** Other names that a call may use; every check uses `name`. */
  readonly aliases?: readonly string[];
  /** `read`, `edit`, `command`, `fetch`, `mcp`, `always` or `custom` (docs/guide/modes.md). Default `custom`. */
  readonly group?: ToolGroup;
  /** Description for the model. */
  readonly description: string;
  /** Schema of the arguments. Unknown keys are dropped if the tool only reads or has no effect, else rejected. */
  readonly inputSchema: TSchema;
  /** `reads`, `writes`, `executes`, `delegates`, `asks` or `none`. */
  readonly effect: Effect;
  /** Whether a call can be run again safely (L12). Default: true if the tool only reads or has no effect. */
  readonly replayable?: boolean;
  /** The kind of ask that shows a call. Default `tool`. */
  readonly ask?: CallAsk;
  /**
   * Whether a person must approve a call although it is permitted: `true`, or a pure function of the arguments, such as
   * `({ cents }) => cents > 5000`. No rule and no permission mode skips the ask. Default: no. A call whose function throws never runs.
   */
  readonly needsApproval?: boolean | ((input: z.output<TSchema>) => boolean | Promise<boolean>);
  /** Text of the partial message from the arguments so far, at most 8 KB. */
  readonly partial?: (input: Input) => string | undefined;
  /**
   * Describe a call before it runs: text for the user, and paths, command, `fetches` (a host) and `mcp`
   * (`{ server, tool }`) for the policy (docs/guide/policies.md#permission-rules). Must not change anything. Default: the
   * arguments.
   */
  readonly describe?: Describe<z.output<TSchema>>;
  /**
   * The file that a call of a tool that writes changes by a diff. A failure is shown as `diff_error` and counted per
   * file (`limits.diffFailures`).
   */
  readonly patches?: (input: z.output<TSchema>) => string;
  /**
   * The files whose content the model knows after a call: it reads or writes them. If one of them changes later, the
   * environment details of a request list it (docs/guide/environment.md#changed-files). Default: none.
   */
  readonly files?: (input: z.output<TSchema>) => readonly string[];
  /**
   * Whether a running call may ask the user for input with `ports.elicit`. Such a call runs alone. Default: no. A tool
   * whose ask is `command` can't.
   */
  readonly elicits?: true;
  /** The slug of the mode that a call switches the task to. The task does it, and the call never runs. */
  readonly switchesTo?: (input: z.output<TSchema>) => string;
  /** The id of the intent that a call selects for the task. The task does it, and the call never runs. */
  readonly selectsIntent?: (input: z.output<TSchema>) => string;
  /** The largest budget of the subtask that a call starts, if the arguments name one. */
  readonly requestsBudget?: (input: z.output<TSchema>) => Grant | undefined;
  /** Whether the subtask that a call starts works in the background: the call has its result at once. Default: no. */
  readonly inBackground?: (input: z.output<TSchema>) => boolean;
  /** The files of the subtask that a call starts. Undefined: the files of the task. */
  readonly isolates?: (input: z.output<TSchema>) => IsolatedFiles | undefined;
  /** The order of a call about subtasks in the background. The task does it, and the call never runs. */
  readonly ordersSubtasks?: (input: z.output<TSchema>) => SubtaskOrder;
  /** The change of the task's wake-ups that a call makes. The task does it, and the call never runs. */
  readonly changesWakeUps?: (input: z.output<TSchema>) => WakeUpChange;
  /**
   * The call that a person made of a call with an amendment, for a tool whose description has a `proposal`. Must be pure,
   * and name no other path. A tool that asks, delegates or switches the mode takes none.
   *
   * @throws ToolError `ARGUMENTS_INVALID` for an amendment that the call does not take
   */
  readonly amend?: (input: z.output<TSchema>, amendment: Amendment) => Amended;
  /**
   * Run a call, and return a text, or `{ content: [{ type: "text", text }], failed }`. The model gets the message of an
   * error.
   */
  readonly execute: (
    input: z.output<TSchema>,
    ports: RunPorts,
  ) => ToolResult | string | Promise<ToolResult | string>;
}

/** The final arguments of an amended call, and what it does with them. */
export type Amended = Pick<AmendedCall, "input" | "describe" | "execute">;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Create a tool from its definition. Derives the JSON Schema of the arguments; invalid arguments are an error for the
 * model, not an exception.
 *
 * @throws ToolError `TOOL_INVALID` for an invalid name, or a schema that JSON Schema can't express
 * @example
 * ```ts
 * import { defineTool } from "signalbox/tools";
 * import * as z from "zod";
 * const roll = defineTool({
 *   name: "roll_dice",
 *   description: "Rolls dice.",
 *   inputSchema: z.object({ sides: z.int().min(2) }),
 *   effect: "none",
 *   execute: ({ sides }) => `You rolled ${sides}.`,
 * });
 * ```
 */
export function defineTool<TSchema extends z.ZodObject>(definition: ToolDefinition<TSchema>): Tool {
  const { name, effect } = definition;
  for (const each of [name, ...(definition.aliases ?? [])]) {
    if (!NAME.test(each)) {
      throw new ToolError(
        "TOOL_INVALID",
        `Expected a tool name of 1 to 64 letters, digits, "_" and "-", received ${JSON.stringify(each)}.`,
      );
    }
  }
  if (definition.amend !== undefined && !mayBeAmended(definition)) {
    throw new ToolError(
      "TOOL_INVALID",
      `Tool "${name}" takes amendments: expected one that neither asks, delegates nor switches the mode. Remove amend.`,
    );
  }
  if (definition.elicits !== undefined && definition.ask === "command") {
    throw new ToolError(
      "TOOL_INVALID",
      `Tool "${name}" elicits: expected another ask than "command", whose output is an open ask. Remove one of them.`,
    );
  }
  const reads = effect === "reads" || effect === "none";
  const strict = !reads && definition.inputSchema.def.catchall === undefined;
  const known = new Set(Object.keys(definition.inputSchema.shape));
  const unknownKeys = (input: Input): readonly string[] =>
    strict ? Object.keys(input).filter((key) => !known.has(key)) : [];
  const keys = argumentKeys(jsonSchema(name, definition.inputSchema, strict));
  const partial = definition.partial ?? ((input: Input) => partialOf(name, input));
  return {
    name,
    displayName: definition.displayName ?? name,
    aliases: definition.aliases ?? [],
    group: definition.group ?? "custom",
    description: definition.description,
    inputSchema: keys.schema,
    effect,
    replayable: definition.replayable ?? reads,
    ask: definition.ask ?? "tool",
    ...requirementOf(definition),
    ...(definition.elicits !== undefined && { elicits: definition.elicits }),
    partial: (input) => partial(keys.original(input)),
    prepare: (input) => prepare(definition, unknownKeys, keys.original(input)),
  };
}

/** The part that a task must have for what its call of the tool changes. */
function requirementOf<TSchema extends z.ZodObject>({
  changesWakeUps,
  ordersSubtasks,
}: ToolDefinition<TSchema>): Pick<Tool, "requires"> {
  if (changesWakeUps !== undefined) return { requires: "wakeUps" };
  return ordersSubtasks === undefined ? {} : { requires: "backgroundSubtasks" };
}

const mayBeAmended = <TSchema extends z.ZodObject>(definition: ToolDefinition<TSchema>): boolean =>
  definition.effect !== "asks" &&
  definition.effect !== "delegates" &&
  definition.switchesTo === undefined &&
  definition.selectsIntent === undefined &&
  definition.changesWakeUps === undefined &&
  definition.ordersSubtasks === undefined;

function prepare<TSchema extends z.ZodObject>(
  definition: ToolDefinition<TSchema>,
  unknownKeys: (input: Input) => readonly string[],
  input: Input,
): Preparation {
  const { name } = definition;
  // A refinement of the schema may throw: that is an argument error.
  try {
    const parsed = definition.inputSchema.safeParse(input);
    if (!parsed.success) return { ok: false, error: formatArgumentIssues(name, parsed.error.issues, input) };
    const keys = unknownKeys(input);
    if (keys.length > 0) {
      const issue = { code: "unrecognized_keys" as const, keys: [...keys], path: [], message: "" };
      return { ok: false, error: formatArgumentIssues(name, [issue], input) };
    }
    return { ok: true, call: prepared(definition, parsed.data, input) };
  } catch (error) {
    return { ok: false, error: `The arguments of ${name} could not be validated: ${formatError(error)}` };
  }
}

function prepared<TSchema extends z.ZodObject>(
  definition: ToolDefinition<TSchema>,
  parsed: z.output<TSchema>,
  input: Input,
): PreparedCall {
  const describe = definition.describe;
  const { amend, needsApproval } = definition;
  const requestsBudget = definition.requestsBudget?.(parsed);
  const isolates = definition.isolates?.(parsed);
  const files = {
    ...(definition.patches !== undefined && { patches: definition.patches(parsed) }),
    ...(definition.files !== undefined && { files: definition.files(parsed) }),
  };
  return {
    ...files,
    ...(amend !== undefined && {
      amend: (amendment: Amendment): AmendedPreparation => {
        try {
          return { ok: true, call: { ...files, ...amend(parsed, amendment) } };
        } catch (error) {
          return { ok: false, error: formatError(error) };
        }
      },
    }),
    ...(needsApproval !== undefined && {
      needsApproval: () => (typeof needsApproval === "function" ? needsApproval(parsed) : needsApproval),
    }),
    ...(definition.switchesTo !== undefined && { switchesTo: definition.switchesTo(parsed) }),
    ...(definition.selectsIntent !== undefined && { selectsIntent: definition.selectsIntent(parsed) }),
    ...(requestsBudget !== undefined && { requestsBudget }),
    ...(definition.inBackground?.(parsed) === true && { inBackground: true as const }),
    ...(isolates !== undefined && { isolates }),
    ...(definition.ordersSubtasks !== undefined && { ordersSubtasks: definition.ordersSubtasks(parsed) }),
    ...(definition.changesWakeUps !== undefined && { changesWakeUps: definition.changesWakeUps(parsed) }),
    async describe(ports) {
      if (describe === undefined) return { text: describeOf(definition.name, input), paths: [] };
      const description = await describe(parsed, ports);
      return typeof description === "string" ? { text: description, paths: [] } : description;
    },
    async execute(ports) {
      const result = await definition.execute(parsed, ports);
      return typeof result === "string" ? { content: [{ type: "text", text: result }] } : result;
    },
  };
}

function jsonSchema(name: string, schema: z.ZodObject, strict: boolean): Tool["inputSchema"] {
  try {
    const { $schema: _, ...converted } = z.toJSONSchema(schema, { io: "input" });
    return strict ? { ...converted, additionalProperties: false } : converted;
  } catch (error) {
    throw new ToolError(
      "TOOL_INVALID",
      `The arguments of tool "${name}" can't be expressed in JSON Schema: ${formatError(error)}. Use JSON types.`,
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
