import type { Completion } from "../machines/task/task.events.ts";
import type { TaskIntent } from "../machines/tool-call/intent.ts";
import type { SkillList } from "../ports/skills.ts";
import type { ReadIntents } from "../tools/intents/intent.ts";
import type { Tool } from "../tools/tool.ts";
import { intentPart } from "./context/intent-context.ts";
import { systemPrompt } from "./context/system-prompt.ts";
import type { RequestHead, Requires } from "./environment.ts";
import { modesOf, permittedTools } from "./permitted-tools.ts";
import { type ToolSources, toolsOf, withoutCompletion, withoutRequiring } from "./toolset.ts";

type HeadEnvironment = Requires<
  | ToolSources
  | "modes"
  | "workspace"
  | "hasWorkspace"
  | "systemPrompt"
  | "shell"
  | "userRules"
  | "skills"
  | "artifacts"
  | "codebaseIndex"
  | "browser"
  | "subtaskFiles"
  | "backgroundSubtasks"
  | "instructions"
  | "completion"
  | "isSubtask"
>;

interface KnownHead {
  readonly tools: readonly Tool[];
  readonly mode: string;
  readonly head: Promise<RequestHead>;
}

/** The heads of a task's requests. Read once for the same tools and mode: a prompt that changes between requests is not served from the cache. */
export class RequestHeads {
  readonly #environment: HeadEnvironment;
  #known: KnownHead | undefined;

  constructor(environment: HeadEnvironment) {
    this.#environment = environment;
  }

  /** The head in a mode. The intent is read each time. */
  async read(mode: string, intent: TaskIntent | undefined): Promise<RequestHead> {
    const head = await this.#read(mode);
    if (intent === undefined) return head;
    const { intents = NO_INTENTS } = this.#environment;
    return { ...head, system: [...head.system, await intentPart(intent, intents)] };
  }

  #read(mode: string): Promise<RequestHead> {
    const completion = completionOf(this.#environment);
    const all = toolsOf(this.#environment);
    // A call of the completion tool is understood without it: the conversation may have earlier ones.
    const tools = completion === "tool" ? all : withoutCompletion(all);
    if (this.#known?.tools !== tools || this.#known.mode !== mode)
      this.#known = { tools, mode, head: createHead(this.#environment, tools, mode, completion) };
    return this.#known.head;
  }
}

const completionOf = ({
  completion = "end_turn",
  resultTool,
}: Requires<"completion" | "resultTool">): Completion => (resultTool?.() === undefined ? completion : "tool");

async function createHead(
  environment: HeadEnvironment,
  tools: readonly Tool[],
  mode: string,
  completion: Completion,
): Promise<RequestHead> {
  const { workspace, hasWorkspace = true, shell, userRules, instructions = [] } = environment;
  const modes = modesOf(environment);
  const skills = await listSkills(environment, tools);
  const offered = permittedTools(modes)(usableTools(environment, tools, skills))(mode);
  const prompt = {
    base: environment.systemPrompt,
    mode: modes.find(mode),
    modes: modes.list,
    tools: offered,
    completion,
    workspace: hasWorkspace ? workspace.root : undefined,
    shell: shell.program,
    userRules: (await userRules?.()) ?? [],
    rules: hasWorkspace ? await workspace.projectRules() : [],
    skills,
  };
  return { offered, system: [...systemPrompt(prompt), ...instructions] };
}

/** The tools that have all they require. */
const usableTools = (
  { artifacts, codebaseIndex, browser, subtaskFiles, backgroundSubtasks, isSubtask }: HeadEnvironment,
  tools: readonly Tool[],
  { skills }: SkillList,
): readonly Tool[] =>
  withoutRequiring(tools, [
    ...(artifacts === undefined ? ["artifacts" as const] : []),
    ...(codebaseIndex === undefined ? ["index" as const] : []),
    ...(browser === undefined ? ["browser" as const] : []),
    ...(subtaskFiles === undefined ? ["isolation" as const] : []),
    ...(backgroundSubtasks === undefined ? ["backgroundSubtasks" as const] : []),
    ...(skills.length === 0 ? ["skills" as const] : []),
    ...(isSubtask ? ["wakeUps" as const] : []),
  ]);

const listSkills = async ({ skills }: Requires<"skills">, tools: readonly Tool[]): Promise<SkillList> =>
  skills !== undefined && tools.some(({ requires }) => requires === "skills") ? skills.list() : NO_SKILLS;

const NO_INTENTS: ReadIntents = async () => [];
const NO_SKILLS: SkillList = { skills: [], invalid: [], cut: false };
