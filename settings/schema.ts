import { z } from "zod";
import { ENVIRONMENT_LIMITS } from "../actors/context/environment-limits.ts";
import { PROVIDER_NAMES } from "../adapters/models/table.ts";
import { hostPatternError } from "../adapters/sandbox/options.ts";
import { DEFAULT_LIMITS } from "../machines/task/limits.ts";
import { PERMISSION_MODES } from "../machines/tool-call/permissions.ts";
import { SUBTASKS_AT_COMPLETION } from "../ports/background-subtasks.ts";
import { ISOLATION_KINDS } from "../ports/subtask-files.ts";
import { toolNameError } from "../tools/builtin/builtin-tools.ts";
import { HOOK_POINTS } from "../tools/hook.ts";
import { hookNameError, hookToolError } from "../tools/hook-list.ts";
import { ruleError } from "../tools/policy/permission-rule.ts";
import { privateHostError } from "../tools/web/access.ts";
import { policyNameError } from "./policy-file.ts";

/** Maximum rules of one level in a file, and characters of one. */
const RULES_MAX = 1_000;
const RULE_MAX_CHARS = 1_000;
/** Maximum profiles, modes with a profile, and headers. */
const NAMES_MAX = 100;
const TEXT_MAX_CHARS = 1_000;
const MODEL_NAME_MAX_CHARS = 64;
/** Longest wait for an answer: a week. */
const TIMEOUT_MAX_MS = 604_800_000;
/** Longest interval of wake-ups: a year. */
const WAKE_UP_MINUTES_MAX = 525_600;
/** Longest run of a hook: an hour. */
const HOOK_TIMEOUT_MAX_MS = 3_600_000;

const Rule = z
  .string()
  .max(RULE_MAX_CHARS)
  .superRefine((text, context) => {
    const message = ruleError(text);
    if (message !== undefined) context.addIssue({ code: "custom", message: `${message}. Correct it.` });
  });

const rules = (does: string) => z.array(Rule).max(RULES_MAX).optional().describe(does);

const ToolName = z
  .string()
  .max(RULE_MAX_CHARS)
  .superRefine((name, context) => {
    const message = toolNameError(name);
    if (message !== undefined) context.addIssue({ code: "custom", message: `${message}. Correct it.` });
  });

const ExcludedTool = ToolName.refine(
  (name) => name !== "attempt_completion",
  "expected a tool that can be left out: a subtask completes with attempt_completion. Remove it.",
);

const Tools = z.strictObject({
  include: z
    .array(ToolName)
    .max(NAMES_MAX)
    .optional()
    .describe("Tools besides the standard ones, such as edit_file and apply_patch."),
  exclude: z
    .array(ExcludedTool)
    .max(NAMES_MAX)
    .optional()
    .describe("Tools that are neither offered nor accepted, also if they are included."),
});

const Name = z
  .string()
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,62}[\p{L}\p{N}])?$/u,
    "expected a name of 1 to 64 letters, digits, '.', '_' and '-'. Rename it.",
  );

const text = () => z.string().min(1).max(TEXT_MAX_CHARS);

const named = <T extends z.ZodType>(value: T, name: z.ZodString = Name) =>
  z
    .record(name, value)
    .refine(
      (all) => Object.keys(all).length <= NAMES_MAX,
      `expected at most ${NAMES_MAX} names. Remove some.`,
    );

const Endpoint = text().refine(
  isEndpoint,
  "expected an http or https URL without a user name, password, query or fragment. Keys belong to keyVariable or keys.yaml.",
);

function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === "");
}

const Headers = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "expected the name of an HTTP header. Rename it."),
    z
      .string()
      .max(TEXT_MAX_CHARS * 8)
      .regex(/^[\t\x20-\x7e]*$/, "expected ASCII text without line breaks. Correct it."),
  )
  .refine(
    (all) => Object.keys(all).length <= NAMES_MAX,
    `expected at most ${NAMES_MAX} headers. Remove some.`,
  );

export const Profile = z.strictObject({
  provider: z.enum([...PROVIDER_NAMES, "mock"]).describe("The provider of the model."),
  model: text().describe("The model's name, as the provider knows it."),
  endpoint: Endpoint.optional().describe(
    "The base URL of the API. Default: the value of the provider's variable, or its public API; openai-compatible has none.",
  ),
  headers: Headers.optional().describe("More headers for each request."),
  keyVariable: z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]{0,99}$/,
      "expected the name of an environment variable, not a key. Correct it.",
    )
    .optional()
    .describe(
      "The environment variable that has the API key. Default: the profile's key in keys.yaml, or the provider's variable.",
    ),
  toolProtocol: z
    .enum(["native", "xml"])
    .optional()
    .describe(
      "How the model calls tools: by the tool calls of its API, or by XML in its text. Default: native.",
    ),
  fallback: z
    .array(Name)
    .max(NAMES_MAX)
    .optional()
    .describe("The profiles that replace this one, in order, while its endpoint fails after all retries."),
  tools: Tools.optional().describe("The tools of a task with this profile, in addition to tools."),
});

/** The name of a model with its provider, such as `openai/gpt-5`. Not longer than a profile's. */
const ModelName = z
  .string()
  .max(MODEL_NAME_MAX_CHARS)
  .regex(
    new RegExp(`^(?:${PROVIDER_NAMES.join("|")})/[\\x21-\\x7e]+$`),
    `expected PROVIDER/MODEL, with one of the providers ${PROVIDER_NAMES.join(", ")}. Rename it.`,
  );

const tokens = () => z.int().min(1).optional();
const dollars = () => z.number().min(0).optional();

const Model = z
  .strictObject({
    contextWindow: tokens().describe("Tokens of a request and its response together."),
    maxTokens: tokens().describe("The longest response, in tokens: sent with each request."),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .optional()
      .describe(
        "0 for the likeliest words, up to 1 or 2: sent with each request. Default: the endpoint's own.",
      ),
    topP: z
      .number()
      .positive()
      .max(1)
      .optional()
      .describe("The share of the likeliest words to choose from: sent with each request."),
    inputPrice: dollars().describe("US dollars per million input tokens."),
    outputPrice: dollars().describe("US dollars per million output tokens."),
    cacheWritesPrice: dollars().describe(
      "US dollars per million tokens of cache writes. Default: inputPrice.",
    ),
    cacheReadsPrice: dollars().describe("US dollars per million tokens of cache reads. Default: inputPrice."),
  })
  .refine(
    ({ inputPrice, outputPrice }) => (inputPrice === undefined) === (outputPrice === undefined),
    "expected inputPrice and outputPrice, or neither. Add the other.",
  );

const MCP_OAUTH = {
  clientId: text()
    .optional()
    .describe("A client that is registered there, or the URL of its metadata. Default: it registers itself."),
  clientSecret: text().optional().describe("Its secret."),
  issuer: text().optional().describe("The authorization server of clientId: a login at another one fails."),
  scopes: z
    .array(text())
    .max(NAMES_MAX)
    .optional()
    .describe("The scopes to request. Default: the scopes that the server names."),
};

const MCP_SERVER = {
  command: text().optional().describe("The program of a server that is a process."),
  args: z
    .array(z.string().max(TEXT_MAX_CHARS * 8))
    .max(NAMES_MAX)
    .optional()
    .describe("Its arguments."),
  env: z
    .record(z.string().min(1).max(TEXT_MAX_CHARS), z.string().max(TEXT_MAX_CHARS * 8))
    .optional()
    .describe("More variables of its environment."),
  cwd: text().optional().describe("The folder that it starts in. Default: the workspace."),
  sandbox: z.boolean().optional().describe("Whether a process runs in the sandbox. Default: false."),
  url: text().optional().describe("The http or https URL of a server that is not a process."),
  headers: Headers.optional().describe("Headers of each request."),
  oauth: z.strictObject(MCP_OAUTH).optional().describe("How signalbox mcp login requests access."),
  disabled: z.boolean().optional().describe("Whether it is left out."),
  timeout: z
    .number()
    .positive()
    .max(3_600)
    .optional()
    .describe("Seconds that a call may last without progress."),
  disabledTools: z.array(text()).max(NAMES_MAX).optional().describe("Tools that are left out."),
};

const isOneServer = ({ command, url }: { readonly command?: unknown; readonly url?: unknown }): boolean =>
  (command === undefined) !== (url === undefined);
const EXPECTED_SERVER = "expected either command or url. Add one, or remove the other.";

export const McpServer = z.strictObject(MCP_SERVER).refine(isOneServer, EXPECTED_SERVER);
export type McpServer = z.infer<typeof McpServer>;

/** The files of other programs that have MCP servers. What only those programs know is ignored. */
export const McpFile = z.object({
  mcpServers: named(
    z.object({ ...MCP_SERVER, oauth: z.object(MCP_OAUTH).optional() }).refine(isOneServer, EXPECTED_SERVER),
  ).default({}),
});

const Permissions = z.strictObject({
  mode: z
    .enum(PERMISSION_MODES)
    .optional()
    .describe("The decision about tool calls that no rule matches. Default: ask."),
  allow: rules("Rules of calls that are allowed, such as command(npm test *)."),
  ask: rules("Rules of calls that a person is asked about. They precede those that allow."),
  deny: rules("Rules of calls that are denied. They precede all others."),
  followupTimeoutMs: z
    .int()
    .min(1_000)
    .max(TIMEOUT_MAX_MS)
    .optional()
    .describe(
      "Milliseconds after which a question of the model is answered with its first suggestion. Default: it waits.",
    ),
});

const PrivateHost = text().superRefine((host, context) => {
  const message = privateHostError(host);
  if (message !== undefined) context.addIssue({ code: "custom", message: `${message}. Correct it.` });
});

const Browser = z.strictObject({
  executable: text()
    .optional()
    .describe("The path of Chromium or Chrome. Default: the first of the usual names in the search path."),
  sandbox: z
    .boolean()
    .optional()
    .describe(
      "Whether Chromium isolates its processes from the system; false where it can't. Default: true.",
    ),
  allowPrivate: z
    .array(PrivateHost)
    .max(NAMES_MAX)
    .optional()
    .describe("Hosts that may have private addresses, such as localhost:3000. Default: none."),
});

/** A text that a function knows what is expected of. */
const checkedText = (errorOf: (text: string) => string | undefined) =>
  text().superRefine((given, context) => {
    const message = errorOf(given);
    if (message !== undefined) context.addIssue({ code: "custom", message: `${message}. Correct it.` });
  });

const Hook = z.strictObject({
  name: checkedText(hookNameError).describe("A unique name. Messages mention it."),
  points: z.array(z.enum(HOOK_POINTS)).min(1).max(NAMES_MAX).describe("When it runs."),
  command: z
    .string()
    .min(1)
    .max(TEXT_MAX_CHARS * 8)
    .describe("The command line. It reads JSON on stdin, and writes its decision as JSON."),
  tools: z
    .array(checkedText(hookToolError))
    .min(1)
    .max(NAMES_MAX)
    .optional()
    .describe("The tools whose calls it sees: names, and mcp(SERVER/TOOL). Default: all."),
  timeoutMs: z
    .int()
    .min(1)
    .max(HOOK_TIMEOUT_MAX_MS)
    .optional()
    .describe("Milliseconds after which it is terminated, which denies. Default: 60,000."),
  keepOriginal: z
    .boolean()
    .optional()
    .describe("Whether the journal keeps a result that it replaces. Default: false."),
  sandbox: z.boolean().optional().describe("Whether it runs in the sandbox. Default: false."),
});

const PolicyName = text().superRefine((name, context) => {
  const message = policyNameError(name);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const Limits = z.strictObject({
  requests: z
    .int()
    .min(1)
    .optional()
    .describe(
      `Requests to the model until a person is asked to continue. Default: ${DEFAULT_LIMITS.requests}.`,
    ),
  cost: z
    .number()
    .positive()
    .optional()
    .describe("US dollars until a person is asked to continue. Default: no limit."),
  mistakes: z
    .int()
    .min(0)
    .max(999_999)
    .optional()
    .describe(
      `Consecutive mistakes before a person is asked; 0 disables the limit. Default: ${DEFAULT_LIMITS.mistakes}.`,
    ),
});

const paths = (does: string) => z.array(text()).max(RULES_MAX).optional().describe(does);

const Sandbox = z.strictObject({
  enabled: z.boolean().optional().describe("Whether commands run in a sandbox. Default: false."),
  hosts: z
    .array(checkedText(hostPatternError))
    .max(RULES_MAX)
    .optional()
    .describe("Hosts that the sandbox lets through, such as *.example.com. Default: none."),
  write: paths("Files and folders besides the workspace that can be written in the sandbox."),
  read: paths("Files and folders that can be read in the sandbox although a folder above is denied."),
  denyRead: paths("Files and folders that can't be read in the sandbox, besides those with keys."),
  denyWrite: paths("Files and folders of the workspace that can't be written in the sandbox."),
  allowCommands: z
    .boolean()
    .optional()
    .describe(
      "Whether the permission mode auto asks about no command that runs in the sandbox. Default: false.",
    ),
});

const Environment = z.strictObject({
  fileNames: z
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe(
      `Names of files of the workspace in the environment details; 0 leaves them out. Default: ${ENVIRONMENT_LIMITS.fileNames}.`,
    ),
});

const WakeUp = z.strictObject({
  everyMinutes: z
    .number()
    .min(1)
    .max(WAKE_UP_MINUTES_MAX)
    .describe("Minutes between two wake-ups, at least 1."),
  message: text().describe("The message that continues the task."),
});

const Terminal = z.strictObject({
  bell: z
    .boolean()
    .optional()
    .describe("Whether the terminal rings when a task waits for the person or ends a turn. Default: false."),
  title: z
    .boolean()
    .optional()
    .describe(
      "Whether the title of the window shows the workspace and the state of the task. Default: false.",
    ),
});

/** The content of a settings file. */
export const Settings = z.strictObject({
  version: z.literal(1).describe("The version of this format."),
  permissions: Permissions.optional().describe("The tool calls that are allowed, denied, or asked about."),
  profiles: named(Profile).optional().describe("Models by name, for --profile."),
  models: named(Model, ModelName)
    .optional()
    .describe("Facts about models, by provider and name; a * at the end of a name matches any rest."),
  profile: Name.optional().describe(
    "The profile of the modes that have none. Default: none; the provider's default model.",
  ),
  tools: Tools.optional().describe("The tools of a task."),
  browser: Browser.optional().describe("The browser of the tool browser_action, if tools.include has that."),
  modes: named(Name)
    .optional()
    .describe("The profile of a mode by its slug. It precedes profile. A switch of the mode selects it."),
  mcpServers: named(McpServer).optional().describe("MCP servers by name, whose tools a task has."),
  hooks: z
    .array(Hook)
    .max(NAMES_MAX)
    .optional()
    .describe("Commands that decide about requests and tool calls, in their order."),
  policies: z
    .array(PolicyName)
    .max(NAMES_MAX)
    .optional()
    .describe(
      "Policies over time: shipped ones, such as rule-of-two, and files, relative to the folder of these settings.",
    ),
  mode: text().optional().describe("The slug of the first mode of a task. Default: code."),
  shell: text()
    .optional()
    .describe("The absolute path of the shell that runs commands with -c. Default: /bin/sh."),
  sandbox: Sandbox.optional().describe("The sandbox of commands, and of hooks and MCP servers that want it."),
  limits: Limits.optional().describe("When a person is asked to continue."),
  environment: Environment.optional().describe("The environment details of each request."),
  terminal: Terminal.optional().describe("How the terminal draws attention to a task."),
  isolation: z
    .enum(ISOLATION_KINDS)
    .optional()
    .describe(
      "The files that subtasks work on: shared with the task, in a git worktree of their own, or in a copy. If it is set, a call may choose a stricter one. Default: shared, without a choice.",
    ),
  backgroundSubtasks: z
    .enum(SUBTASKS_AT_COMPLETION)
    .optional()
    .describe(
      "Lets subtasks work in the background. When the task completes, it waits for them, or cancels them. Default: the task waits for each subtask.",
    ),
  wakeUp: WakeUp.optional().describe(
    "Continues each new task at rest at an interval, until its wake-up is cleared.",
  ),
  checkpoints: z
    .boolean()
    .optional()
    .describe("Whether the workspace is snapshotted before a turn's first effect. Default: true."),
});
export type Settings = z.infer<typeof Settings>;
export type Profile = z.infer<typeof Profile>;

/**
 * The permission of a project for a setting. `never`: it is not read from a project. `trusted`: only a trusted project sets it.
 * `tightens`: any project sets it to a stricter value, a trusted one to any.
 */
export type ProjectUse = "never" | "trusted" | "tightens";

/** Each setting, by its path. A `*` is any name. */
export const PROJECT_USE = {
  version: "tightens",
  "permissions.mode": "tightens",
  "permissions.allow": "trusted",
  "permissions.ask": "tightens",
  "permissions.deny": "tightens",
  "permissions.followupTimeoutMs": "trusted",
  "profiles.*.provider": "trusted",
  "profiles.*.model": "trusted",
  "profiles.*.endpoint": "never",
  "profiles.*.headers": "never",
  "profiles.*.keyVariable": "never",
  "profiles.*.toolProtocol": "trusted",
  "profiles.*.fallback": "trusted",
  "profiles.*.tools.include": "trusted",
  "profiles.*.tools.exclude": "trusted",
  "models.*.contextWindow": "trusted",
  "models.*.maxTokens": "trusted",
  "models.*.temperature": "trusted",
  "models.*.topP": "trusted",
  "models.*.inputPrice": "trusted",
  "models.*.outputPrice": "trusted",
  "models.*.cacheWritesPrice": "trusted",
  "models.*.cacheReadsPrice": "trusted",
  profile: "trusted",
  "tools.include": "trusted",
  "tools.exclude": "tightens",
  "browser.executable": "never",
  "browser.sandbox": "never",
  "browser.allowPrivate": "trusted",
  "modes.*": "trusted",
  "mcpServers.*": "trusted",
  hooks: "trusted",
  policies: "tightens",
  mode: "trusted",
  shell: "never",
  "sandbox.enabled": "tightens",
  "sandbox.hosts": "trusted",
  "sandbox.write": "trusted",
  "sandbox.read": "trusted",
  "sandbox.denyRead": "tightens",
  "sandbox.denyWrite": "tightens",
  "sandbox.allowCommands": "trusted",
  "limits.requests": "tightens",
  "limits.cost": "tightens",
  "limits.mistakes": "tightens",
  "environment.fileNames": "trusted",
  "terminal.bell": "never",
  "terminal.title": "never",
  isolation: "trusted",
  backgroundSubtasks: "trusted",
  "wakeUp.everyMinutes": "trusted",
  "wakeUp.message": "trusted",
  checkpoints: "trusted",
} as const satisfies Readonly<Record<string, ProjectUse>>;

/** The path of a setting in the table above. */
export type SettingPath = keyof typeof PROJECT_USE;

/** The generated JSON Schema, for editors. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(Settings), title: "Settings of signalbox" };
}
