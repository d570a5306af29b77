import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { NO_USAGE } from "../../../machines/task/request.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../../machines/tool-call/permissions.ts";
import type { ChatModel } from "../../../ports/model.ts";
import type { PermissionOptions } from "../../../runtime/options.ts";
import type { PermissionChange } from "../../../runtime/task/permission-change.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { allowEverything, builtinTools, byRules, defineTool } from "../../../tools/index.ts";
import type { DescribePorts } from "../../../tools/ports.ts";
import type { Description, Tool } from "../../../tools/tool.ts";
import { runs } from "../../support/campaigns.ts";
import { openRig } from "../../support/host.ts";
import { call } from "../../support/model.ts";
import { memoryJournals } from "../../support/subtasks.ts";

/** A call of a task of the tree. */
interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, string>>;
}

/** The arguments of new_task besides the work. */
interface Given {
  readonly tools?: readonly string[];
  readonly permissions?: {
    readonly level?: PermissionMode;
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
  };
}

/** A task with permissions that change before one of the calls, and the calls that its last descendant tries. */
interface Case {
  readonly permissions: PermissionOptions;
  readonly calls: readonly Call[];
  readonly change: PermissionChange;
  /** The position of the call before which the permissions of the root change. */
  readonly changesAt: number;
}

const at = z.object({ path: z.string() });
const BUILTIN = builtinTools().filter(({ name }) => name === "new_task" || name === "attempt_completion");

/** Tools of all groups. They change nothing: `note` gets each call that runs. */
const toolsWith = (
  note: (one: Call) => void,
): { readonly tools: readonly Tool[]; readonly dynamic: readonly Tool[] } => {
  const execute = (tool: string) => (input: Call["input"]) => {
    note({ tool, input });
    return "done";
  };
  const paths: Describe = async ({ path }, { workspace }) => ({
    text: path,
    paths: [await workspace.resolve(path)],
  });
  const files = { description: "Uses files.", inputSchema: at } as const;
  return {
    tools: [
      ...BUILTIN,
      defineTool({
        ...files,
        name: "look",
        group: "read",
        effect: "reads",
        describe: paths,
        execute: execute("look"),
      }),
      defineTool({
        ...files,
        name: "list",
        group: "read",
        effect: "reads",
        describe: paths,
        execute: execute("list"),
      }),
      defineTool({
        ...files,
        name: "edit",
        group: "edit",
        effect: "writes",
        describe: paths,
        execute: execute("edit"),
      }),
      defineTool({
        name: "shell",
        group: "command",
        description: "Runs a command.",
        effect: "executes",
        inputSchema: z.object({ command: z.string() }),
        describe: ({ command }) => ({ text: command, command, paths: [] }),
        execute: execute("shell"),
      }),
      defineTool({
        name: "fetch",
        group: "fetch",
        description: "Fetches.",
        effect: "reads",
        inputSchema: z.object({ host: z.string() }),
        describe: ({ host }) => ({ text: host, fetches: host, paths: [] }),
        execute: execute("fetch"),
      }),
      defineTool({
        ...files,
        name: "post",
        effect: "writes",
        describe: () => "posts",
        execute: execute("post"),
      }),
    ],
    dynamic: [
      // It has the name of a tool of another group: no task has it.
      defineTool({
        ...files,
        name: "post",
        group: "mcp",
        effect: "writes",
        execute: execute("another post"),
      }),
      defineTool({
        ...files,
        name: "server",
        group: "mcp",
        effect: "executes",
        describe: ({ path }) => ({ text: path, mcp: { server: "db", tool: "query" }, paths: [] }),
        execute: execute("server"),
      }),
    ],
  };
};
type Describe = (input: z.output<typeof at>, ports: DescribePorts) => Promise<Description>;

const RULES = [
  "read(**)",
  "read(src/**)",
  "edit(**)",
  "edit(src/**)",
  "edit(.env)",
  "command(*)",
  "command(npm test *)",
  "command(rm *)",
  "fetch(example.com)",
  "mcp(db/*)",
  "tool(post)",
  "tool(shell)",
  "subtask",
];
const rules = (maxLength: number) => fc.uniqueArray(fc.constantFrom(...RULES), { maxLength });
const level = fc.constantFrom(...PERMISSION_MODES);
/** Mostly one that permits something: mode `plan` starts no subtask. */
const parentLevel = fc.oneof(
  { weight: 1, arbitrary: level },
  { weight: 3, arbitrary: fc.constantFrom("auto", "bypass") },
);
const leveled = fc.record({ allow: rules(5), ask: rules(1), deny: rules(1) });
const sessionRules = leveled.map((levels) =>
  (["allow", "ask", "deny"] as const).flatMap((each) => levels[each].map((rule) => ({ level: each, rule }))),
);

const judge = fc.oneof(
  {
    weight: 4,
    arbitrary: leveled.map((source) => byRules({ sources: [{ origin: "settings", ...source }] })),
  },
  { weight: 1, arbitrary: fc.constant(allowEverything()) },
);

const path = fc.constantFrom("a.ts", "src/a.ts", ".env", "../a.ts").map((name) => ({ path: name }));
const command = fc
  .constantFrom("npm test a", "rm -r src", "npm test && rm a", "$X a", "ls > a")
  .map((text) => ({ command: text }));
const tried: fc.Arbitrary<Call> = fc.oneof(
  path.map((input) => ({ tool: "look", input })),
  path.map((input) => ({ tool: "list", input })),
  path.map((input) => ({ tool: "edit", input })),
  command.map((input) => ({ tool: "shell", input })),
  fc.constantFrom("example.com", "example.org").map((host) => ({ tool: "fetch", input: { host } })),
  path.map((input) => ({ tool: "post", input })),
  path.map((input) => ({ tool: "server", input })),
);

const cases: fc.Arbitrary<Case> = fc.record({
  permissions: fc.record({ level: parentLevel, rules: sessionRules, judge }),
  calls: fc.uniqueArray(tried, { minLength: 6, maxLength: 12, selector: (one) => JSON.stringify(one) }),
  change: fc.record({ level: parentLevel, rules: sessionRules }, { requiredKeys: [] }),
  changesAt: fc.nat(12),
});

const NAMES = ["look", "list", "edit", "shell", "fetch", "post", "server", "new_task"];
const GROUPS = ["read", "edit", "command", "fetch", "mcp", "custom"];
const GROUP_OF: Readonly<Record<string, string>> = {
  look: "read",
  list: "read",
  edit: "edit",
  shell: "command",
  fetch: "fetch",
  server: "mcp",
  post: "custom",
};
const tools = fc
  .uniqueArray(fc.constantFrom(...NAMES, ...GROUPS), { minLength: 3, maxLength: 8 })
  // A chain goes on with another subtask.
  .map((some) => [...some, "new_task"]);
const permissions = fc.record({ level, ask: rules(1), deny: rules(2) }, { requiredKeys: [] });
const given: fc.Arbitrary<Given> = fc.oneof(
  permissions.map((some) => ({ permissions: some })),
  permissions.map((some) => ({ permissions: some })),
  fc.record({ permissions, tools }),
  tools.map((some) => ({ tools: some })),
);

/** A denial that a rule of the subtask which asks must not lift in mode bypass. */
const BYPASSED: Case = {
  permissions: {
    level: "bypass",
    rules: [],
    judge: byRules({ sources: [{ origin: "settings", deny: ["command(rm *)"] }] }),
  },
  calls: [{ tool: "shell", input: { command: "rm -r src" } }],
  change: {},
  changesAt: 0,
};

/** A dynamic tool with the name of a tool that the subtask does not have. */
const SHADOWED: Case = {
  ...BYPASSED,
  permissions: { level: "bypass" },
  calls: [{ tool: "post", input: { path: "a.ts" } }],
};

/** All that the last task of a chain was offered, and the calls of it that ran without an ask. */
interface Conduct {
  readonly offered: ReadonlySet<string>;
  readonly ran: ReadonlySet<string>;
}

/**
 * Run a root that starts a chain of subtasks with these arguments. The last one, or the root of an empty chain, tries the
 * calls. A person permits subtasks and completions, and nothing else.
 */
async function conductOf(
  { permissions, calls, change, changesAt }: Case,
  chain: readonly Given[],
): Promise<Conduct> {
  const offered = new Set<string>();
  const ran = new Set<string>();
  const { tools, dynamic } = toolsWith((one) => ran.add(JSON.stringify(one)));
  let root: Task | undefined;
  const model: ChatModel = {
    id: "chain",
    async *stream({ messages, tools: all }) {
      const depth = Number(/Depth (\d)/.exec(JSON.stringify(messages[0]))?.[1]);
      const turn = messages.filter(({ role }) => role === "assistant").length;
      const isLast = depth === chain.length;
      if (isLast) for (const { name } of all) offered.add(name);
      if (isLast && turn === changesAt) root?.changePermissions(change);
      const next = isLast ? calls[turn] : undefined;
      if (next !== undefined) yield* call(next.tool, next.input, `toolu_${turn}`);
      else if (isLast || turn > 0) yield* call("attempt_completion", { result: "Done." }, `toolu_${turn}`);
      else
        yield* call("new_task", { mode: "code", message: `Depth ${depth + 1}`, ...chain[depth] }, "toolu_0");
      yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
    },
  };
  await using rig = await openRig({
    model,
    permissions,
    tools,
    dynamicTools: () => dynamic,
    limits: { mistakes: 0, repetitions: 0 },
    journal: memoryJournals(),
    completion: "tool",
  });
  root = rig.task;
  rig.host.opened$.subscribe(answer);
  answer(root);
  await root.run("Depth 0");
  return { offered, ran };
}

/** A person permits subtasks and completions, and nothing else. */
const answer = (task: Task): void => {
  task.asks$.subscribe((ask) => {
    if (ask.kind === "completion") ask.approve();
    else if (ask.kind !== "tool" && ask.kind !== "command" && ask.kind !== "mcp") return;
    else if (ask.tool?.name === "new_task") ask.approve();
    else ask.reject();
  });
};

/** Whether the arguments name the tool, or its group. */
const names = ({ tools }: Given, name: string): boolean =>
  tools === undefined ||
  name === "attempt_completion" ||
  tools.some((each) => each === name || each === GROUP_OF[name]);

/** A root that is permitted what the restrictions of the chain leave: its person adds them to all that they permit. */
function restricted(one: Case, chain: readonly Given[]): Case {
  const added = chain.flatMap(({ permissions: { ask = [], deny = [] } = {} }) => [
    ...ask.map((rule) => ({ level: "ask", rule }) as const),
    ...deny.map((rule) => ({ level: "deny", rule }) as const),
  ]);
  const levels = chain.flatMap(({ permissions }) => permissions?.level ?? []);
  const strictest = (of: PermissionMode): PermissionMode =>
    PERMISSION_MODES.find((each) => each === of || levels.includes(each)) ?? of;
  const narrowed = <T extends PermissionChange>(change: T): T => ({
    ...change,
    ...(change.level !== undefined && { level: strictest(change.level) }),
    ...(change.rules !== undefined && { rules: [...change.rules, ...added] }),
  });
  return { ...one, permissions: narrowed(one.permissions), change: narrowed(one.change) };
}

const all = (texts: ReadonlySet<string>): unknown => expect.arrayContaining([...texts]);
/** The call in the text of one that ran. */
const callIn = (text: string): Call => callSchema.parse(JSON.parse(text));
const callSchema = z.object({ tool: z.string(), input: z.record(z.string(), z.string()) });

describe("GRANT", () => {
  test("a subtask does without an ask what its parent may do and its call leaves, with tools of its parent", async () => {
    let [acted, kept] = [0, 0];
    await fc.assert(
      fc.asyncProperty(cases, fc.array(given, { minLength: 1, maxLength: 2 }), async (one, chain) => {
        const child = await conductOf(one, chain);
        if (child.offered.size === 0) return;
        const parent = await conductOf(one, chain.slice(0, -1));
        expect([...parent.ran]).toEqual(all(child.ran));
        expect([...parent.offered]).toEqual(all(child.offered));
        const root = await conductOf(restricted(one, chain), []);
        const left = [...root.ran].filter((text) => chain.every((each) => names(each, callIn(text).tool)));
        expect(left).toEqual(all(child.ran));
        // A custom judge may ignore the rules of the session, but not those of a subtask.
        if (one.permissions.judge?.explain !== undefined) expect([...child.ran]).toEqual(left);
        expect([...root.offered].filter((name) => chain.every((each) => names(each, name)))).toEqual([
          ...child.offered,
        ]);
        if (child.ran.size > 0) acted += 1;
        if (child.ran.size < parent.ran.size) kept += 1;
      }),
      {
        numRuns: runs(200, 12),
        examples: [
          [BYPASSED, [{ permissions: { ask: ["command(rm *)"] } }]],
          [SHADOWED, [{ tools: ["mcp", "new_task"] }]],
        ],
      },
    );
    // Neither do subtasks do nothing, nor all that their parents may do.

    expect(acted).toBeGreaterThan(0);
    expect(kept).toBeGreaterThan(0);
  });
});
