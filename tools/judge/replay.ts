import { combine } from "../../machines/judge/opinion.ts";
import type { Denial } from "../../machines/message/message.ts";
import { isHookAsk } from "../../machines/task/hooks.ts";
import { HARMLESS, verdictOn } from "../../machines/task/verdict.ts";
import type { Input, Verdict } from "../../machines/tool-call/call.ts";
import type { PermissionState } from "../../machines/tool-call/permissions.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { JudgedCallVerdict, ReplayChange, ReplayGrounds } from "../../wire/http/permission-replay.ts";
import type { DecidedCall, FirstDecision } from "../../wire/journal/decided-calls.ts";
import { formatError } from "../error.ts";
import type { Modes } from "../modes/modes.ts";
import type { Policy, PolicyFacts } from "../policy/policy.ts";
import type { Registry } from "../registry.ts";
import type { Description, PreparedCall, Tool } from "../tool.ts";
import { judgedCall } from "./call.ts";
import type { HypotheticalPermissions } from "./hypothetical.ts";
import { judgeLine, opinionsByJudge } from "./judges.ts";
import { questionVerdict } from "./question.ts";

/** The parts of a task that its calls are judged by, as they are now. */
export interface ReplayEnvironment {
  readonly explain: NonNullable<Policy["explain"]>;
  readonly registry: Registry;
  readonly modes: Modes;
  /** Paths are resolved in it as they are now. */
  readonly workspace: Workspace;
  readonly shell?: string;
  readonly isSubtask: boolean;
  /** Whether commands run in a sandbox that lets the mode `auto` ask less. */
  readonly isContained: boolean;
}

/** A recorded call that was judged again. */
export interface ReplayedCall
  extends Omit<ReplayChange, "taskId" | "cause">,
    Pick<ReplayGrounds, "judges" | "matches"> {
  readonly kind: "judged";
  /** The cause of a changed verdict. Absent: the verdict is the same. */
  readonly cause?: ReplayChange["cause"];
}

/** A recorded call that can't be judged again. */
export interface UnjudgedCall {
  readonly kind: "unjudged";
  readonly callId: string;
  readonly reason: string;
}

/** A call of a tool that is known, with the facts that policies judge. */
interface Prepared {
  readonly call: DecidedCall;
  readonly tool: Tool;
  readonly input: Input;
  readonly description: Description;
  readonly needsApproval: boolean;
}

/**
 * Judge a recorded call again, by the judges of the engine: with what was permitted when it was decided, and with the
 * hypothetical permissions. Nothing runs, and nothing is written.
 */
export async function replayCall(
  call: DecidedCall,
  permissions: HypotheticalPermissions,
  environment: ReplayEnvironment,
): Promise<ReplayedCall | UnjudgedCall> {
  const unjudged = (reason: string): UnjudgedCall => ({ kind: "unjudged", callId: call.callId, reason });
  const recorded = recordedVerdict(call.first);
  if (recorded === undefined) return unjudged("no policy and no person decided about it");
  const prepared = await prepare(call, environment);
  if (typeof prepared === "string") return unjudged(prepared);
  const { mode, rules } = call.permissions;
  const before = judge(prepared, call.permissions, environment);
  const tried = { mode: permissions.mode ?? mode, rules: [...rules, ...permissions.rules] };
  const { verdict: now, ...grounds } = judge(prepared, tried, environment);
  const cause = causeOf(call.first, recorded, before.verdict, now);
  if (cause === "other") return unjudged("another judge than the rules and the mode asked, such as a hook");
  const { callId, record, name } = call;
  const target = targetOf(prepared);
  return {
    kind: "judged",
    callId,
    record,
    tool: name,
    target,
    recorded,
    now,
    ...grounds,
    ...(cause && { cause }),
  };
}

/** The facts that judges need, or the reason why the record has not enough of them. */
async function prepare(
  call: DecidedCall,
  { registry, workspace }: ReplayEnvironment,
): Promise<Prepared | string> {
  const { name, input } = call;
  const tool = registry.find(name);
  if (tool === undefined) return `no tool has the name ${name} here`;
  if (input === undefined) return "the journal does not have its arguments";
  if (call.hasIntent && !HARMLESS.includes(tool.effect))
    return "the scope that its intent had is not recorded";
  const preparation = tool.prepare(input);
  if (!preparation.ok) return `${name} does not take its arguments`;
  const { call: prepared } = preparation;
  const description = await describe(prepared, workspace);
  if (typeof description === "string") return `${name} can't describe it now: ${description}`;
  const needsApproval = (await prepared.needsApproval?.()) === true;
  return { call, tool, input, description, needsApproval };
}

/** The description of a call; only its paths if the files have changed so that its edit no longer fits. */
async function describe(call: PreparedCall, workspace: Workspace): Promise<Description | string> {
  try {
    return await call.describe({ workspace });
  } catch (error) {
    const named = new Set([call.patches ?? [], call.files ?? []].flat());
    if (named.size === 0) return formatError(error);
    const paths = await Promise.all([...named].map((path) => workspace.resolve(path)));
    return { text: "", paths };
  }
}

type Judgement = Pick<ReplayedCall, "judges" | "matches"> & { readonly verdict: JudgedCallVerdict };

/** The verdict of all judges that the record has enough for. */
function judge(
  { call, tool, input, description, needsApproval }: Prepared,
  permissions: Pick<PermissionState, "mode" | "rules">,
  { explain, modes, workspace, shell, isSubtask, isContained }: ReplayEnvironment,
): Judgement {
  const { callId, mode } = call;
  const facts: PolicyFacts = {
    workspace: workspace.root,
    description,
    permissions,
    callId,
    ...(shell !== undefined && { shell }),
    ...(isContained && { isContained: true }),
    ...(isSubtask && { subtask: true }),
  };
  const judged = judgedCall({ tool, input }, facts);
  const known = modes.find(mode) === undefined ? {} : { use: { mode, modes } };
  const ofCall = opinionsByJudge("call", judged, known);
  const refused = combine(ofCall.flatMap(({ opinion }) => opinion ?? []));
  const explained = explain({ tool, input }, facts);
  const { verdict, acceptedBy } = questionVerdict(tool, explained.verdict, isSubtask);
  const context = { permissions: { ...permissions, revision: 0 }, intent: null };
  const review = { verdict, effect: tool.effect, ...(needsApproval && { needsApproval: true as const }) };
  const byTask = verdictOn(context, { phase: "deciding", ask: tool.ask, name: tool.name }, review);
  const accepted: Verdict = acceptedBy === undefined ? byTask : { kind: "allow", rule: acceptedBy };
  return {
    verdict: asJudged(refused.verdict.kind === "deny" ? refused.verdict : accepted),
    judges: [...ofCall.map(judgeLine), ...(explained.judges ?? [])],
    matches: [...explained.matches],
  };
}

function asJudged(verdict: Verdict): JudgedCallVerdict {
  const because = verdict.kind === "ask" ? verdict.because : verdict.rule;
  return { verdict: verdict.kind, ...(because !== undefined && { because }) };
}

/** Undefined: nobody decided. */
function recordedVerdict(first: FirstDecision): JudgedCallVerdict | undefined {
  if (first.kind === "none") return undefined;
  if (first.kind === "deny") return { verdict: "deny", because: formatDenial(first.denial) };
  return asJudged(first);
}

function formatDenial(denial: Denial | undefined): string {
  if (denial === undefined) return "not recorded";
  if ("hook" in denial) return `the hook "${denial.hook}"`;
  return "rule" in denial ? denial.rule : `the policy "${denial.policy}": ${denial.clause}`;
}

/**
 * The cause of a verdict that differs from the recorded one. `before`: the verdict with what was permitted then. `other`: the
 * ask had another ground than the rules and the mode have now, so they may not lift it.
 */
function causeOf(
  first: FirstDecision,
  recorded: JudgedCallVerdict,
  before: JudgedCallVerdict,
  now: JudgedCallVerdict,
): ReplayChange["cause"] | "other" | undefined {
  if (recorded.verdict === now.verdict) return undefined;
  // No rule permits what a hook or a policy over time denied.
  if (first.kind === "deny" && first.denial !== undefined && !("rule" in first.denial)) return undefined;
  const isLifted = recorded.verdict === "ask" && now.verdict === "allow";
  if (isLifted && isHookAsk(recorded.because)) return "other";
  if (before.verdict === now.verdict) return "settings";
  return isLifted && recorded.because !== before.because ? "other" : "permissions";
}

/** Maximum characters of the text that names a call. */
const TARGET_MAX_CHARS = 200;

function targetOf({ description: { command, fetches, paths }, input }: Prepared): string {
  const [text = ""] = [command, fetches, paths[0]?.path, ...Object.values(input)].filter(
    (value) => typeof value === "string",
  );
  return text.slice(0, TARGET_MAX_CHARS).toWellFormed();
}
