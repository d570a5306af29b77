import { memoize } from "../machines/conversation/memoize.ts";
import { selectActiveIntent } from "../tools/builtin/select-active-intent.ts";
import { createRegistry, type Registry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { Requires } from "./environment.ts";

/** The members of an environment that the tools of a task come from. */
export type ToolSources = "tools" | "dynamicTools" | "restrictTools" | "intents" | "resultTool";

/** The tools of a task as they are now. */
export function toolsOf({
  tools,
  dynamicTools,
  restrictTools = (all) => all,
  intents,
  resultTool,
}: Requires<ToolSources>): readonly Tool[] {
  const own = intents === undefined ? tools : joined(tools)(INTENT_TOOLS);
  const all = dynamicTools === undefined ? own : joined(own)(dynamicTools());
  const left = restrictTools(all);
  const completion = resultTool?.();
  return completion === undefined ? left : withResultTool(completion)(left);
}

/** One registry for all tasks with the same list of tools. @throws ToolError if two tools have the same name */
export const registryOf: (tools: readonly Tool[]) => Registry = memoize(createRegistry);

/** The registry of a task's tools as they are now. */
export const taskRegistry = (environment: Requires<ToolSources>): Registry =>
  registryOf(toolsOf(environment));

/** One list for all tasks with the same tools. */
export const withoutCompletion = memoize((tools: readonly Tool[]): readonly Tool[] =>
  tools.filter(({ ask }) => ask !== "completion_result"),
);

type Requirement = Exclude<Tool["requires"], "commands" | undefined>;

/** The tools without those that require one of these: one list for all tasks with the same tools. */
export const withoutRequiring = (tools: readonly Tool[], missing: readonly Requirement[]): readonly Tool[] =>
  missing.reduce((left, requirement) => WITHOUT[requirement](left), tools);

const without = (requirement: Requirement) =>
  memoize((tools: readonly Tool[]): readonly Tool[] =>
    tools.filter(({ requires }) => requires !== requirement),
  );

const WITHOUT = {
  artifacts: without("artifacts"),
  index: without("index"),
  browser: without("browser"),
  isolation: without("isolation"),
  skills: without("skills"),
  wakeUps: without("wakeUps"),
  backgroundSubtasks: without("backgroundSubtasks"),
} satisfies Record<Requirement, unknown>;

const INTENT_TOOLS: readonly Tool[] = [selectActiveIntent];

/** The tools with another completion tool: one list for each. */
const withResultTool = memoize((completion: Tool) =>
  memoize((tools: readonly Tool[]): readonly Tool[] => [...withoutCompletion(tools), completion]),
);

/** One list for all tasks with the same lists. */
const joined = memoize((tools: readonly Tool[]) =>
  memoize((dynamic: readonly Tool[]): readonly Tool[] => {
    const { find } = registryOf(tools);
    return [...tools, ...dynamic.filter(({ name }) => find(name) === undefined)];
  }),
);
