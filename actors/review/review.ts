import type { AnyEventObject, CallbackActorLogic } from "xstate";
import type { ActorInputs, ReviewEvent } from "../../machines/task/index.ts";
import type { Review, Verdict } from "../../machines/tool-call/index.ts";
import {
  type Description,
  type Policy,
  type Registry,
  sayError,
  type Tool,
  type Workspace,
} from "../../tools/index.ts";
import { type Edge, fromEvents } from "../protocol/index.ts";
import type { AllowedCompletions } from "../subtask/index.ts";
import { digestOf } from "./digest.ts";

export interface ReviewOptions {
  readonly registry: Registry;
  readonly policy: Policy;
  readonly workspace: Workspace;
  /** Why no subtask can be begun here; undefined where one can. Default: one can. */
  readonly noSubtasks?: string;
  /** Of a subtask: which of its completions the policy allows. */
  readonly completions?: AllowedCompletions;
}

type ReviewInput = ActorInputs["review"];

/**
 * The actor that looks at one call before anything is decided: whether there is such a tool, whether its
 * arguments fit, where its paths lead, what a person would be shown, what the policy says. It sends exactly
 * one `call.reviewed`. What goes wrong makes the call invalid: nothing runs by mistake (L7, L9).
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
      review: invalid(`The call of ${name} could not be looked at: ${sayError(error)}`),
    }),
  });
}

/** Looks at one call. Rejects where a description or a policy throws: then nothing is known of it. */
export async function reviewCall(
  { registry, policy, workspace, noSubtasks, completions }: ReviewOptions,
  { callId, name, input }: ReviewInput,
): Promise<Review> {
  const tool = registry.find(name);
  if (tool === undefined) {
    return invalid(`Unknown tool '${name.slice(0, 100)}'. The tools are: ${registry.names.join(", ")}.`);
  }
  const prepared = tool.prepare(input);
  if (!prepared.ok) return invalid(prepared.error);
  const description = await prepared.call.describe({ workspace });
  const refused = refusePaths(tool, description, workspace);
  if (refused !== undefined) return invalid(refused);
  if (tool.effect === "delegates" && noSubtasks !== undefined) return invalid(noSubtasks);
  const isSubtask = completions !== undefined;
  const facts = { workspace: workspace.root, description, ...(isSubtask && { subtask: true }) };
  const verdict = await policy({ tool, input }, facts);
  if (tool.ask === "completion_result" && verdict.kind === "allow") completions?.allow(callId, verdict.rule);
  return {
    valid: true,
    digest: digestOf(tool.name, input),
    effect: tool.effect,
    replayable: tool.replayable,
    text: description.text,
    verdict: askedAtLeast(tool, verdict),
  };
}

/**
 * A question is answered and a completion accepted by a person: a policy may deny them, never allow. A subtask's
 * completion that it allows is an ask too: it is answered at once, in the rule's name.
 */
function askedAtLeast(tool: Tool, verdict: Verdict): Verdict {
  return tool.effect === "asks" && verdict.kind === "allow" ? { kind: "ask" } : verdict;
}

/** No file tool gets as far as an ask with a path that its workspace would refuse (L9). */
function refusePaths(tool: Tool, { paths }: Description, { root }: Workspace): string | undefined {
  if (tool.group !== "read" && tool.group !== "edit") return undefined;
  for (const { path, inside, ignored } of paths) {
    if (!inside) {
      return `'${path}' lies outside the workspace ${root}: expected a path inside it, also after symlinks. Use one.`;
    }
    if (ignored) {
      return `Access to '${path}' is blocked by .rooignore. Go on without this file, or ask the user to change the rules.`;
    }
  }
  return undefined;
}

function invalid(error: string): Review {
  return { valid: false, error };
}
