import type { AnyEventObject, CallbackActorLogic } from "xstate";
import { combine } from "../../machines/judge/opinion.ts";
import type { ReviewEvent } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type {
  Arguments,
  CallFacts,
  Proposal,
  Review,
  StartJudgement,
  Verdict,
} from "../../machines/tool-call/call.ts";
import type { IntentFinding } from "../../machines/tool-call/intent.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { subtaskOf } from "../../tools/builtin/new-task.ts";
import { boundedDescriptor } from "../../tools/descriptor.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { finalCall } from "../../tools/final-call.ts";
import type { ReadIntents } from "../../tools/intents/intent.ts";
import { type JudgedCall, judgedCall } from "../../tools/judge/call.ts";
import { deniedPath } from "../../tools/judge/confinement.ts";
import { CONFINEMENT, type JudgeState, opinionsOf } from "../../tools/judge/judges.ts";
import { questionVerdict } from "../../tools/judge/question.ts";
import type { Policy, PolicyCall, PolicyFacts } from "../../tools/policy/policy.ts";
import { suggestedRules } from "../../tools/policy/suggested-rules.ts";
import type { Registry } from "../../tools/registry.ts";
import { lackedToolError } from "../../tools/restricted-tools.ts";
import { cutEnd } from "../../tools/text.ts";
import type { AmendedCall, Description, Tool } from "../../tools/tool.ts";
import type { Requires } from "../environment.ts";
import { modesOf } from "../permitted-tools.ts";
import type { Edge } from "../protocol/edge.ts";
import { fromEvents } from "../protocol/from-events.ts";
import { type ToolSources, taskRegistry, toolsOf } from "../toolset.ts";
import { digestOf } from "./digest.ts";
import { intentFinding, selectionError } from "./intent.ts";

type ReviewEnvironment = Requires<
  | ToolSources
  | "head"
  | "modes"
  | "policy"
  | "judgeStart"
  | "workspace"
  | "shell"
  | "subtasks"
  | "subtaskFiles"
  | "isSubtask"
  | "fileChanges"
>;

type InvalidReview = Extract<Review, { valid: false }>;
type ReviewInput = ActorInputs["review"];

/** Maximum bytes of a diff for the person who is asked; its end is cut with a mark. */
const DIFF_MAX_BYTES = 128 * 1024;

/** Maximum bytes of a proposal as JSON. A person can't amend a larger one. */
const PROPOSAL_MAX_BYTES = 1_000_000;

const sizeOf = (proposal: Proposal): number => Buffer.byteLength(JSON.stringify(proposal));

/** Maximum length of the name of a file in a review, in UTF-16 units; its end is cut. */
const FILE_MAX_CHARS = 4_096;

/**
 * Reviews a tool call before it is decided: looks up the tool, validates the arguments, resolves the paths, describes
 * the call and applies the policy. Sends exactly one `call.reviewed`. On any error the call is invalid and doesn't run
 * (L7, L9).
 */
export function reviewActor(
  edge: Edge,
  environment: ReviewEnvironment,
): CallbackActorLogic<AnyEventObject, ReviewInput> {
  const registry = taskRegistry(environment);
  return fromEvents<AnyEventObject, ReviewEvent, ReviewInput>(edge, {
    source: async function* ({ input }) {
      const review = withText(await reviewCall(registry, environment, input), registry, input);
      yield { type: "call.reviewed", callId: input.callId, review };
    },
    isTerminal: () => true,
    failed: (input, error) => {
      const review = invalid(`The call of ${input.name} could not be reviewed: ${formatError(error)}`);
      return { type: "call.reviewed", callId: input.callId, review: withText(review, registry, input) };
    },
  });
}

const NO_WAKE_UPS =
  "A subtask has no wake-ups: it ends with its result. Say in the result what must be done later.";

/** The review, with the text of the whole call also where it is invalid: as far as the tool can describe it. */
function withText(review: Review, registry: Registry, { name, input }: ReviewInput): Review {
  if (review.valid) return review;
  const tool = registry.find(name);
  const descriptor = () => boundedDescriptor({ tool: name, content: JSON.stringify(input, undefined, 2) });
  try {
    return { ...review, text: (tool?.partial(input) ?? descriptor()).toWellFormed() };
  } catch {
    // The arguments are not what the tool takes.
    return { ...review, text: descriptor().toWellFormed() };
  }
}

/** Whether a person must approve the call, as its tool says. */
type NeededApproval = Pick<Extract<Review, { valid: true }>, "needsApproval">;

/** Whether a person is asked: by the policy, by the tool, or by the policies over time. */
const isAsked = (
  verdict: Verdict,
  start: StartJudgement | undefined,
  { needsApproval }: NeededApproval,
): boolean => verdict.kind === "ask" || needsApproval === true || start?.policy !== undefined;

const approvalOf = async (call: AmendedCall): Promise<NeededApproval> =>
  (await call.needsApproval?.()) ? { needsApproval: true } : {};

/** The facts that an ask shows to a person, and the version of the file that an edit is computed from. */
const askFacts = ({ base }: Description, facts: CallFacts) => ({
  facts,
  ...(base !== undefined && { base }),
});

/** Review one tool call. Rejects if a description or a policy throws. */
async function reviewCall(
  registry: Registry,
  environment: ReviewEnvironment,
  { callId, name, mode, permissions, intent, verdict: judged, ...given }: ReviewInput,
): Promise<Review> {
  const { policy, workspace, isSubtask = false, intents = NO_INTENTS } = environment;
  const tool = registry.find(name);
  if (tool === undefined) {
    const { offered } = await environment.head(mode);
    const names = offered.map((tool) => tool.name);
    return invalid(`Unknown tool '${name.slice(0, 100)}'. The tools are: ${names.join(", ")}.`);
  }
  const prepared = finalCall(tool, given);
  if (!prepared.ok) return invalid(prepared.error);
  if (isSubtask && prepared.call.changesWakeUps !== undefined) return invalid(NO_WAKE_UPS);
  const { input, definition } = prepared.call;
  const patches = tool.effect === "writes" ? fileOf(prepared.call) : undefined;
  const description = await describe(prepared.call, patches, environment);
  if ("valid" in description) return description;
  const call = judgedCall(
    { tool, input },
    policyFacts(environment, { description, permissions, callId }, undefined),
  );
  const refused = refusal(call, {
    use: modeUse(environment, mode),
    ...(await amendedFrom(tool, given, workspace)),
    ...(await selectionOf(prepared.call, intents)),
    ...subtaskUse(environment, { tool, input }),
  });
  if (refused !== undefined) return refused;
  const finding = await intentFinding(intent, intents, {
    tool,
    description,
    workspace: workspace.root,
    changed: async () =>
      tool.effect === "writes" ? environment.fileChanges?.changedOf(prepared.call.files) : undefined,
  });
  const facts = policyFacts(environment, { description, permissions, callId }, finding);
  const verdict = judged ?? (await policy({ tool, input }, facts));
  const approval = await approvalOf(prepared.call);
  const start = judged && (await environment.judgeStart?.({ tool, input }, facts));
  return {
    valid: true,
    digest: digestOf(tool.name, input, definition),
    revision: permissions.revision,
    effect: tool.effect,
    replayable: tool.replayable,
    text: description.text,
    ...questionVerdict(tool, verdict, isSubtask),
    ...(patches !== undefined && { patches }),
    ...appliedByTask(prepared.call),
    ...(finding !== undefined && { intent: finding }),
    ...runsAlone(tool),
    ...approval,
    ...(isAsked(verdict, start, approval) &&
      askFacts(description, factsOf(policy, { tool, input }, facts, approval))),
    ...(description.edit !== undefined && { edit: description.edit }),
    ...(start !== undefined && { start }),
  };
}

const NO_INTENTS: ReadIntents = async () => [];

/** The mode of a call, and the reason why no subtask can be started. */
function modeUse(environment: Requires<"modes" | "subtasks">, mode: string): NonNullable<JudgeState["use"]> {
  const subtasksUnavailable = environment.subtasks?.unavailable;
  const modes = modesOf(environment);
  return { modes, mode, ...(subtasksUnavailable !== undefined && { subtasksUnavailable }) };
}

const policyFacts = (
  { workspace, shell, isSubtask = false }: Requires<"workspace" | "shell" | "isSubtask">,
  judged: Pick<PolicyFacts, "description" | "permissions" | "callId">,
  finding: IntentFinding | undefined,
): PolicyFacts => ({
  workspace: workspace.root,
  ...judged,
  shell: shell.program,
  ...(shell.isContained === true && { isContained: true }),
  ...(isSubtask && { subtask: true }),
  ...(finding?.kind === "unscoped" && { isUnscoped: true }),
});

/** The description of a call; the review of one whose diff can't be applied. */
async function describe(
  call: AmendedCall,
  patches: string | undefined,
  { workspace, subtaskFiles }: Requires<"workspace" | "subtaskFiles">,
): Promise<Description | InvalidReview> {
  try {
    return await call.describe({ workspace, subtaskFiles });
  } catch (error) {
    if (patches === undefined || !(error instanceof ToolError)) throw error;
    return { ...invalid(error.message), patches };
  }
}

/** The review of a call that a judge refuses before any policy is asked. */
function refusal(call: JudgedCall, state: JudgeState): InvalidReview | undefined {
  const { verdict } = combine(opinionsOf("call", call, state));
  if (verdict.kind !== "deny") return undefined;
  const denied = verdict.rule === CONFINEMENT ? deniedPath(call) : undefined;
  const ignored = denied?.inside === true ? denied.path.slice(0, FILE_MAX_CHARS).toWellFormed() : undefined;
  return { ...invalid(verdict.reason), ...(ignored !== undefined && { ignored }) };
}

/** The paths of the model's call, if a person amended it. */
async function amendedFrom(
  tool: Tool,
  { input, amendment }: Arguments,
  workspace: Workspace,
): Promise<Pick<JudgeState, "named">> {
  if (amendment === undefined) return {};
  const prepared = tool.prepare(input);
  return { named: prepared.ok ? (await prepared.call.describe({ workspace })).paths : [] };
}

/** The error of a call that selects an intent which is not active. */
async function selectionOf(
  { selectsIntent }: AmendedCall,
  intents: ReadIntents,
): Promise<Pick<JudgeState, "selectionError">> {
  const error = selectsIntent === undefined ? undefined : await selectionError(selectsIntent, intents);
  return error === undefined ? {} : { selectionError: error };
}

/** The error of a call that gives its subtask a tool which the task lacks. */
function subtaskUse(
  environment: Requires<ToolSources>,
  { tool, input }: PolicyCall,
): Pick<JudgeState, "subtaskError"> {
  const restriction = tool.effect === "delegates" ? subtaskOf(input)?.restriction : undefined;
  const error = restriction && lackedToolError(restriction, toolsOf(environment));
  return error === undefined ? {} : { subtaskError: error };
}

type AppliedPart =
  | "switchesTo"
  | "selectsIntent"
  | "requestsBudget"
  | "inBackground"
  | "isolates"
  | "ordersSubtasks"
  | "changesWakeUps";

/** The parts of a call that the task applies itself. */
const appliedByTask = ({
  switchesTo,
  selectsIntent,
  requestsBudget,
  inBackground,
  isolates,
  ordersSubtasks,
  changesWakeUps,
}: AmendedCall): Pick<AmendedCall, AppliedPart> => ({
  ...(switchesTo !== undefined && { switchesTo }),
  ...(selectsIntent !== undefined && { selectsIntent }),
  ...(requestsBudget !== undefined && { requestsBudget }),
  ...(inBackground !== undefined && { inBackground }),
  ...(isolates !== undefined && { isolates }),
  ...(ordersSubtasks !== undefined && { ordersSubtasks }),
  ...(changesWakeUps !== undefined && { changesWakeUps }),
});

/** The properties of a tool that must run alone. */
const runsAlone = ({ showsResult, elicits }: Tool): Pick<Tool, "showsResult" | "elicits"> => ({
  ...(showsResult !== undefined && { showsResult }),
  ...(elicits !== undefined && { elicits }),
});

const fileOf = ({ patches }: AmendedCall): string | undefined =>
  patches?.slice(0, FILE_MAX_CHARS).toWellFormed();

/** The facts for the person who is asked about the call. */
function factsOf(
  policy: Policy,
  call: PolicyCall,
  facts: PolicyFacts,
  { needsApproval }: NeededApproval,
): CallFacts {
  const { command, paths, diff, proposal } = facts.description;
  // No rule allows a call about which a person is always asked.
  const isAlwaysAsked = call.tool.effect === "asks" || needsApproval === true;
  const rules = isAlwaysAsked ? [] : suggestedRules(policy, call, facts);
  return {
    ...(command !== undefined && { command }),
    ...(paths.length > 0 && { paths: paths.map(({ path, real, inside }) => ({ path, real, inside })) }),
    ...(diff !== undefined && { diff: cutEnd(diff, DIFF_MAX_BYTES) }),
    ...(rules.length > 0 && { rules }),
    ...(proposal !== undefined && sizeOf(proposal) <= PROPOSAL_MAX_BYTES && { proposal }),
  };
}

/** The error quotes the call, maybe cut within a character. */
function invalid(error: string): InvalidReview {
  return { valid: false, error: error.toWellFormed() };
}
