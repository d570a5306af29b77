import { textBlock } from "../../../machines/conversation/blocks.ts";
import type { ImageBlock, TextBlock } from "../../../machines/conversation/entry.ts";
import type { Turn } from "../../../machines/task/task.context.ts";
import type {
  CallAsk,
  CallIdentity,
  CallIn,
  Decision,
  Effect,
  Input,
  Notice,
  Outcome,
  Phase,
  SubtaskOutcome,
  ToolCall,
  ValidReview,
  Verdict,
} from "../../../machines/tool-call/call.ts";
import type { IntentFinding } from "../../../machines/tool-call/intent.ts";
import { fresh } from "./step.ts";

/** The default name of a call. */
export const NAME = "write_to_file";
export const USER = { person: true } as const;

const DIGEST = "digest";
/** One object, because arguments are compared by identity. */
const INPUT: Input = { path: "a.txt" };
const CHILD = "t1.1";

/** Overrides of a call. Fields that its phase lacks are ignored. */
interface CallParts {
  readonly name?: string;
  readonly ask?: CallAsk;
  readonly input?: Input;
  readonly effect?: Effect;
  readonly digest?: string;
  readonly verdict?: Verdict;
  readonly outcome?: Outcome;
  readonly patches?: string | undefined;
  readonly intent?: IntentFinding | undefined;
  readonly selectsIntent?: string | undefined;
  readonly notice?: Notice;
  readonly childId?: string;
  readonly end?: SubtaskOutcome | undefined;
}

/** The message of a call that has one. */
const ROW = 5;

/** The identity of a call. `c1` has the tool use id `use-c1`. */
export const identityOf = (callId: string, { name = NAME, ask = "tool" }: CallParts = {}): CallIdentity => ({
  callId,
  toolUseId: `use-${callId}`,
  name,
  ask,
});

/** A review, by default of a write that needs the user's approval. */
export const reviewOf = ({
  effect = "writes",
  digest = DIGEST,
  verdict = { kind: "ask" },
  patches,
  intent,
  selectsIntent,
}: CallParts = {}): ValidReview => ({
  valid: true,
  digest,
  revision: 0,
  effect,
  replayable: false,
  text: "a.txt",
  verdict,
  ...(patches !== undefined && { patches }),
  ...(intent !== undefined && { intent }),
  ...(selectsIntent !== undefined && { selectsIntent }),
});

export const decisionOf = (callId: string, by: Decision["by"] = USER, digest = DIGEST): Decision => ({
  callId,
  digest,
  by,
  at: 1,
});

type Content = readonly (TextBlock | ImageBlock | string)[];

/** An outcome with these texts and images. */
export const outcomeOf = (kind: Outcome["kind"], ...content: Content): Outcome => ({
  kind,
  content: content.map((block) => (typeof block === "string" ? textBlock(block) : block)),
});

/** The fields of a reviewed call. */
const reviewed = (callId: string, parts: CallParts) => ({
  ...identityOf(callId, parts),
  input: parts.input ?? INPUT,
  review: reviewOf(parts),
});
const decided = (callId: string, parts: CallParts) => ({
  ...reviewed(callId, parts),
  decision: decisionOf(callId, USER, parts.digest),
});

const MAKERS: { readonly [P in Phase]: (callId: string, parts: CallParts) => CallIn<P> } = {
  planned: (callId, parts) => ({ ...identityOf(callId, parts), phase: "planned", preview: "" }),
  deciding: (callId, parts) => ({
    ...identityOf(callId, parts),
    phase: "deciding",
    preview: "",
    input: parts.input ?? INPUT,
  }),
  decided: (callId, parts) => ({ ...reviewed(callId, parts), phase: "decided" }),
  hooking: (callId, parts) => ({ ...reviewed(callId, parts), phase: "hooking" }),
  judging: (callId, parts) => ({ ...reviewed(callId, parts), phase: "judging" }),
  asking: (callId, parts) => ({ row: ROW, ...reviewed(callId, parts), phase: "asking" }),
  amending: (callId, parts) => ({
    row: ROW,
    ...decided(callId, parts),
    phase: "amending",
    amendment: { content: "edited" },
  }),
  approved: (callId, parts) => ({ row: ROW, ...decided(callId, parts), phase: "approved" }),
  running: (callId, parts) => ({ row: ROW, ...decided(callId, parts), phase: "running" }),
  stopped: (callId, parts) => ({ ...identityOf(callId, parts), phase: "stopped", replayable: false }),
  delegated: (callId, { childId = CHILD, end, ...parts }) => ({
    ...identityOf(callId, parts),
    phase: "delegated",
    input: parts.input ?? INPUT,
    childId,
    ...(end !== undefined && { end }),
  }),
  ended: (callId, { outcome = outcomeOf("done", "done"), ...parts }) => ({
    ...identityOf(callId, parts),
    phase: "ended",
    outcome,
    unseen: outcomeOf("failed", "not seen"),
  }),
  settled: (callId, { outcome = outcomeOf("done", "done"), notice, ...parts }) => ({
    ...identityOf(callId, parts),
    phase: "settled",
    outcome,
    ...(notice !== undefined && { notice }),
  }),
};

/** A call in this phase. All have the same name, digest and arguments by default. */
export const callOf = <P extends Phase>(callId: string, phase: P, parts: CallParts = {}): CallIn<P> =>
  MAKERS[phase](callId, parts);

/** A call in each phase. */
export const inEachPhase = (callId: string): readonly ToolCall[] =>
  Object.values(MAKERS).map((make): ToolCall => make(callId, {}));

export const planned = (callId: string) => callOf(callId, "planned");
export const approved = (callId: string) => callOf(callId, "approved");
export const running = (callId: string, effect: Effect = "writes") => callOf(callId, "running", { effect });
export const stopped = (callId: string) => callOf(callId, "stopped");
export const delegated = (callId: string, childId = CHILD, end?: SubtaskOutcome) =>
  callOf(callId, "delegated", { childId, end });
/** A settled call. Its default content is the name of its kind. */
export const settled = (callId: string, kind: Outcome["kind"] = "done", ...content: Content) =>
  callOf(callId, "settled", { outcome: outcomeOf(kind, ...(content.length > 0 ? content : [kind])) });

/** A turn with these calls. */
export const turnOf = (...calls: readonly ToolCall[]): Turn => ({ ...fresh.turn, calls });
