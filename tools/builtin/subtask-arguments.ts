import { z } from "zod";
import type { Grant } from "../../machines/tool-call/grant.ts";
import { PERMISSION_MODES } from "../../machines/tool-call/permissions.ts";
import type { RestrictingRule, Restriction } from "../../machines/tool-call/restriction.ts";
import { ISOLATION_KINDS, type IsolationKind } from "../../ports/subtask-files.ts";
import { ruleError } from "../policy/permission-rule.ts";
import { resultSchemaError } from "./result-schema.ts";

const NAME_MAX_CHARS = 80;
const TOOLS_MAX = 100;
const TOOL_MAX_CHARS = 64;
const RULES_MAX = 50;
const RULE_MAX_CHARS = 1_000;

/** An argument that may be absent. Null is accepted as well, but the schema, a part of each request, does not name it. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value ?? undefined, schema.optional()).optional();

const rules = z
  .array(z.string().max(RULE_MAX_CHARS))
  .max(RULES_MAX)
  .superRefine((texts, context) => {
    for (const [at, text] of texts.entries()) {
      const message = ruleError(text);
      if (message !== undefined) context.addIssue({ code: "custom", path: [at], message });
    }
  });

/** The optional arguments of new_task: all that a subtask is given besides its work. */
export const SUBTASK_ARGUMENTS = {
  name: optional(
    z
      .string()
      .max(NAME_MAX_CHARS)
      .refine((text) => /^\S\P{Cc}*$/u.test(text), "expected a name in one line"),
  ).describe("A short name for people."),
  tools: optional(z.array(z.string().min(1).max(TOOL_MAX_CHARS)).max(TOOLS_MAX)).describe(
    "All that it may use of your tools: names, or groups (read, edit, command, fetch, mcp, custom).",
  ),
  permissions: optional(
    z.strictObject({
      level: optional(z.enum(PERMISSION_MODES)),
      ask: optional(rules),
      deny: optional(rules),
    }),
  ).describe("Stricter permissions than yours. Rules are such as edit(src/**) or command(git push *)."),
  budget: optional(
    z.strictObject({ requests: optional(z.number().int().min(1)), cost: optional(z.number().positive()) }),
  ).describe("The most that it may spend: requests to the model, and US dollars."),
  result: optional(
    z.looseObject({}).superRefine((schema, context) => {
      const message = resultSchemaError(schema);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    }),
  ).describe("A JSON Schema of type object: then its result is JSON that the schema accepts."),
};

/** The argument that names a model, in a task that has several. */
export const profileArgument = (names: readonly string[]) =>
  optional(z.enum(names)).describe("The model that works on it. Default: the one of its mode, or yours.");

/** The argument of a task whose subtasks may work in the background. */
export const BACKGROUND_ARGUMENT = optional(z.boolean()).describe(
  "true: the subtask works in the background and you go on; you get its result with the request after its end.",
);

/** The argument of a task that can choose the files of a subtask. */
export const isolationArgument = (kinds: readonly IsolationKind[]) =>
  optional(z.enum(kinds)).describe(`The files that it works on. Default: ${kinds[0]}.`);

const given = z.object({
  ...SUBTASK_ARGUMENTS,
  profile: z.string().nullish(),
  background: z.boolean().optional(),
  isolation: z.enum(ISOLATION_KINDS).optional(),
});
/** The optional arguments of a call. */
export type SubtaskArguments = Partial<z.output<typeof given>>;

/** The restriction that the arguments name. Undefined if they name none. */
export function restrictionOf({ tools, permissions = {} }: SubtaskArguments): Restriction | undefined {
  const { level, ask = [], deny = [] } = permissions;
  const named: readonly RestrictingRule[] = [
    ...ask.map((rule) => ({ level: "ask", rule }) as const),
    ...deny.map((rule) => ({ level: "deny", rule }) as const),
  ];
  const restriction: Restriction = {
    ...(level !== undefined && { level }),
    ...(named.length > 0 && { rules: named }),
    ...(tools !== undefined && { tools }),
  };
  return Object.keys(restriction).length === 0 ? undefined : restriction;
}

/** The largest budget that the arguments name. Undefined if they name none. */
export function requestedBudget({ budget: { requests, cost } = {} }: SubtaskArguments): Grant | undefined {
  const grant = { ...(requests !== undefined && { requests }), ...(cost !== undefined && { cost }) };
  return Object.keys(grant).length === 0 ? undefined : grant;
}

/** The optional arguments as fields of the call's descriptor, for the person who is asked. */
export function describeArguments(call: SubtaskArguments): Readonly<Record<string, string | undefined>> {
  const { name, profile, tools, permissions, result, background, isolation } = call;
  const restriction = restrictionOf(call);
  const { requests, cost } = requestedBudget(call) ?? {};
  return {
    name,
    profile: profile ?? undefined,
    tools: tools?.join(", "),
    permissions: joined(
      permissions?.level && `at most mode ${permissions.level}`,
      ...(restriction?.rules ?? []).map(({ level, rule }) => `${level} ${rule}`),
    ),
    budget: joined(requests && `${requests} requests`, cost && `$${cost}`),
    result: result && JSON.stringify(result),
    background: background === true ? "yes" : undefined,
    isolation,
  };
}

/** The parts in one line. Undefined where there is none. */
const joined = (...parts: readonly (string | number | undefined)[]): string | undefined =>
  parts.filter((part) => part !== undefined).join(", ") || undefined;
