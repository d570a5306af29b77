import type { AnyEventObject, CallbackActorLogic } from "xstate";
import type { ActorInputs, ReviewEvent } from "../../machines/task/index.ts";
import type {
  Arguments,
  CallFacts,
  IntentFinding,
  Proposal,
  Review,
} from "../../machines/tool-call/index.ts";
import {
  type AmendedCall,
  cutEnd,
  type Description,
  finalCall,
  formatError,
  type Modes,
  type Policy,
  type PolicyCall,
  type PolicyFacts,
  type ReadIntents,
  type Registry,
  suggestedRules,
  type Tool,
  ToolError,
  type ToolUse,
  validateToolUse,
  type Workspace,
} from "../../tools/index.ts";
import { type Edge, fromEvents } from "../protocol/index.ts";
import type { AllowedCompletions } from "../subtask/index.ts";
import { digestOf } from "./digest.ts";
import { intentFinding, selectionError } from "./intent.ts";

export interface ReviewOptions {
  readonly registry: Registry;
  /** The tools that a request in a mode offers, for the error of an unknown one. */
  readonly offered: (mode: string) => Promise<readonly Pick<Tool, "name">[]>;
  readonly modes: Modes;
  readonly policy: Policy;
  readonly workspace: Workspace;
  /** Path of the program that interprets command lines. Default: `/bin/sh`. */
  readonly shell?: string;
  /** The reason why no subtask can be started. Default: subtasks can be started. */
  readonly subtasksUnavailable?: string;
  /** Of a subtask: the completions that the policy allows. */
  readonly completions?: AllowedCompletions;
  /** Reads the intents of the workspace. Default: there are none. */
  readonly intents?: ReadIntents;
  /** Finds a file that has changed since the task knew it. Default: nothing is compared. */
  readonly changedOf?: (files: readonly string[] | undefined) => Promise<string | undefined>;
}

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
  options: ReviewOptions,
): CallbackActorLogic<AnyEventObject, ReviewInput> {
  return fromEvents<AnyEventObject, ReviewEvent, ReviewInput>(edge, {
    source: async function* ({ input }) {
      yield { type: "call.reviewed", callId: input.callId, review: await reviewCall(options, input) };
    },
    isTerminal: () => true,
    failed: ({ callId, name }, error) => ({
      type: "call.reviewed",
      callId,
      review: invalid(`The call of ${name} could not be reviewed: ${formatError(error)}`),
    }),
  });
}

/** Review one tool call. Rejects if a description or a policy throws. */
async function reviewCall(
  {
    registry,
    offered,
    modes,
    policy,
    workspace,
    shell,
    subtasksUnavailable,
    completions,
    intents = NO_INTENTS,
    changedOf,
  }: ReviewOptions,
  { callId, name, mode, permissions, intent, ...given }: ReviewInput,
): Promise<Review> {
  const tool = registry.find(name);
  if (tool === undefined) {
    const names = (await offered(mode)).map((tool) => tool.name);
    return invalid(`Unknown tool '${name.slice(0, 100)}'. The tools are: ${names.join(", ")}.`);
  }
  const prepared = finalCall(tool, given);
  if (!prepared.ok) return invalid(prepared.error);
  const { input, definition } = prepared.call;
  const patches = tool.effect === "writes" ? fileOf(prepared.call) : undefined;
  const description = await describe(prepared.call, patches, workspace);
  if ("valid" in description) return description;
  const call = { input, paths: description.paths, workspace: workspace.root };
  const refused = misuse({ modes, mode, tool, call }, subtasksUnavailable);
  if (refused !== undefined) return refused;
  const blocked =
    invalidPath(tool, description, workspace) ??
    (await addedPath(tool, given, description, workspace)) ??
    (await unknownIntent(prepared.call, intents));
  if (blocked !== undefined) return blocked;
  const finding = await intentFinding(intent, intents, {
    tool,
    description,
    workspace: workspace.root,
    changed: async () => (tool.effect === "writes" ? changedOf?.(prepared.call.files) : undefined),
  });
  const facts = policyFacts({ workspace, shell, completions }, { description, permissions, callId }, finding);
  const verdict = await policy({ tool, input }, facts);
  if (tool.ask === "completion_result" && verdict.kind === "allow") completions?.allow(callId, verdict.rule);
  // Only a user answers a question or accepts a completion. An allowed completion of a subtask expires at once.
  return {
    valid: true,
    digest: digestOf(tool.name, input, definition),
    revision: permissions.revision,
    effect: tool.effect,
    replayable: tool.replayable,
    text: description.text,
    verdict: tool.effect === "asks" && verdict.kind === "allow" ? { kind: "ask" } : verdict,
    ...(patches !== undefined && { patches }),
    ...appliedByTask(prepared.call),
    ...(finding !== undefined && { intent: finding }),
    ...runsAlone(tool),
    ...(verdict.kind === "ask" && { facts: factsOf(policy, { tool, input }, facts) }),
    ...(verdict.kind === "ask" && description.base !== undefined && { base: description.base }),
    ...(description.edit !== undefined && { edit: description.edit }),
  };
}

const NO_INTENTS: ReadIntents = async () => [];

const policyFacts = (
  {
    workspace,
    shell,
    completions,
  }: Pick<ReviewOptions, "workspace"> & {
    readonly [K in "shell" | "completions"]: ReviewOptions[K] | undefined;
  },
  judged: Pick<PolicyFacts, "description" | "permissions" | "callId">,
  finding: IntentFinding | undefined,
): PolicyFacts => ({
  workspace: workspace.root,
  ...judged,
  ...(shell !== undefined && { shell }),
  ...(completions !== undefined && { subtask: true }),
  ...(finding?.kind === "unscoped" && { isUnscoped: true }),
});

/** The description of a call; the review of one whose diff can't be applied. */
async function describe(
  call: AmendedCall,
  patches: string | undefined,
  workspace: Workspace,
): Promise<Description | InvalidReview> {
  try {
    return await call.describe({ workspace });
  } catch (error) {
    if (patches === undefined || !(error instanceof ToolError)) throw error;
    return { ...invalid(error.message), patches };
  }
}

/** The review of an amended call with a path that the model's call does not name. */
async function addedPath(
  tool: Tool,
  { input, amendment }: Arguments,
  amended: Description,
  workspace: Workspace,
): Promise<Review | undefined> {
  if (amendment === undefined) return undefined;
  const prepared = tool.prepare(input);
  const { paths } = prepared.ok ? await prepared.call.describe({ workspace }) : { paths: [] };
  const named = new Set(paths.map(({ real }) => real));
  const added = amended.paths.find(({ real }) => !named.has(real));
  return (
    added &&
    invalid(`The amendment of ${tool.name} adds the path '${added.path}': expected none. Leave it out.`)
  );
}

/** The review of a call that its mode does not permit, or that needs a subtask where none can be started. */
function misuse(use: ToolUse & { readonly tool: Tool }, unavailable: string | undefined): Review | undefined {
  const error = validateToolUse(use) ?? (use.tool.effect === "delegates" ? unavailable : undefined);
  return error === undefined ? undefined : invalid(error);
}

/** The review of a call that selects an intent which is not active. */
async function unknownIntent(
  { selectsIntent }: AmendedCall,
  intents: ReadIntents,
): Promise<InvalidReview | undefined> {
  const error = selectsIntent === undefined ? undefined : await selectionError(selectsIntent, intents);
  return error === undefined ? undefined : invalid(error);
}

/** What the task does in place of a run. */
const appliedByTask = ({
  switchesTo,
  selectsIntent,
}: AmendedCall): Pick<AmendedCall, "switchesTo" | "selectsIntent"> => ({
  ...(switchesTo !== undefined && { switchesTo }),
  ...(selectsIntent !== undefined && { selectsIntent }),
});

/** What nothing may run beside. */
const runsAlone = ({ showsResult, elicits }: Tool): Pick<Tool, "showsResult" | "elicits"> => ({
  ...(showsResult !== undefined && { showsResult }),
  ...(elicits !== undefined && { elicits }),
});

const fileOf = ({ patches }: AmendedCall): string | undefined =>
  patches?.slice(0, FILE_MAX_CHARS).toWellFormed();

/** The facts for the person who is asked about the call. */
function factsOf(policy: Policy, call: PolicyCall, facts: PolicyFacts): CallFacts {
  const { command, paths, diff, proposal } = facts.description;
  const rules = call.tool.effect === "asks" ? [] : suggestedRules(policy, call, facts);
  return {
    ...(command !== undefined && { command }),
    ...(paths.length > 0 && { paths: paths.map(({ path, real, inside }) => ({ path, real, inside })) }),
    ...(diff !== undefined && { diff: cutEnd(diff, DIFF_MAX_BYTES) }),
    ...(rules.length > 0 && { rules }),
    ...(proposal !== undefined && sizeOf(proposal) <= PROPOSAL_MAX_BYTES && { proposal }),
  };
}

/** The review of a file tool whose path the workspace would reject: it is never asked about (L9). */
function invalidPath(tool: Tool, { paths }: Description, { root }: Workspace): Review | undefined {
  if (tool.group !== "read" && tool.group !== "edit") return undefined;
  for (const { path, inside, ignored } of paths) {
    if (!inside) {
      return invalid(
        `'${path}' is outside the workspace ${root}: expected a path inside it, also after symlinks. Use one.`,
      );
    }
    if (ignored) {
      const error = `Access to '${path}' is blocked by .rooignore. Continue without this file, or ask the user to change the rules.`;
      return { ...invalid(error), ignored: path.slice(0, FILE_MAX_CHARS).toWellFormed() };
    }
  }
  return undefined;
}

/** The error quotes the call, maybe cut within a character. */
function invalid(error: string): InvalidReview {
  return { valid: false, error: error.toWellFormed() };
}
