import type { ImageBlock, TextBlock } from "../conversation/entry.ts";
import type { IsolatedFiles } from "../conversation/isolated-files.ts";
import type { Denial } from "../message/message.ts";
import type { FileWrite } from "./file-write.ts";
import type { Grant } from "./grant.ts";
import type { IntentFinding } from "./intent.ts";
import type { SubtaskOrder } from "./subtask-order.ts";
import type { WakeUpChange } from "./wake-up.ts";

/** Effect of a tool. Nothing runs in parallel with a call that `writes`, `executes` or `delegates` to a subtask. */
export type Effect = "reads" | "writes" | "executes" | "delegates" | "asks" | "none";

/** Ask for the approval or answer of a call. */
export type CallAsk =
  | "tool"
  | "command"
  | "use_mcp_server"
  | "browser_action_launch"
  | "followup"
  | "completion_result";

/**
 * Decision of a policy about a call. `rule` names the rule that matched, and its origin. `clause`: the clause of a policy
 * over time that denies it.
 */
export type Verdict =
  | { readonly kind: "allow"; readonly rule: string }
  | {
      readonly kind: "deny";
      readonly rule: string;
      readonly reason: string;
      readonly clause?: Extract<Denial, { clause: string }>;
    }
  /** `because`: a clause that says why a person is asked. */
  | { readonly kind: "ask"; readonly because?: string };

/** A path that a call names, resolved. */
export interface CallPath {
  /** As the call gives it, relative to the workspace if possible. */
  readonly path: string;
  /** With every symlink followed. */
  readonly real: string;
  /** Whether it is inside the workspace. */
  readonly inside: boolean;
}

/**
 * A person's change of a call's arguments: a JSON object, as the tool takes it. It comes with the approval, and the call
 * runs with it. The conversation keeps what the model sent.
 */
export type Amendment = Readonly<Record<string, unknown>>;

/** The part of a call that a person can amend. The amendment of each kind is in its comment. */
export type Proposal =
  /** The new content of one file: `{ content }`. */
  | {
      readonly kind: "file";
      /** Relative to the workspace if possible. */
      readonly path: string;
      /** The version of the file when this was proposed. An amendment is not written to a file that changed since. */
      readonly base: string;
      /** Absent: the file does not exist, or is not text. */
      readonly before?: string;
      readonly after: string;
    }
  /** A todo list, as a markdown checklist: `{ todos }`. */
  | { readonly kind: "todos"; readonly after: string }
  /** Several files to read: `{ files }`, whether each may be read, by its path. One that is left out is not read. */
  | { readonly kind: "files"; readonly paths: readonly string[] };

/** The effects of a call, for a person who decides about it. */
export interface CallFacts {
  /** Command line of a call whose effect is `executes`. */
  readonly command?: string;
  readonly paths?: readonly CallPath[];
  /** Hunks of the unified diff of an edit, or a note in brackets where the change can't be shown. */
  readonly diff?: string;
  /** Rules that would allow such calls from now on, the narrowest first. */
  readonly rules?: readonly string[];
  /** Absent: the call takes no amendment, or one that is too large. */
  readonly proposal?: Proposal;
}

/** The facts of a started call that policies over time judge. They are recorded with its start. */
export interface StartFacts {
  readonly effect: Effect;
  /** The paths that it names, relative to the workspace, as given and with symlinks followed. */
  readonly paths?: readonly string[];
  readonly command?: string;
  /** The hosts that it sends requests to. */
  readonly hosts?: readonly string[];
  /** The values of the arguments that the policies compare, by name. */
  readonly arguments?: Readonly<Record<string, readonly string[]>>;
  /** The names of those arguments with a value that is not compared, such as a long text. */
  readonly notCompared?: readonly string[];
}

/** The clause of a policy over time that a call would break. */
export interface Objection extends Omit<Extract<Verdict, { kind: "deny" }>, "kind"> {
  /** The clause that says why a person is asked, if a person may permit the call. */
  readonly because: string;
}

/** The judgement of policies over time about a call that is about to start, by what happened until now. */
export interface StartJudgement {
  readonly facts: StartFacts;
  /** The objection if a rule permits the call: one of a policy, a permission mode or a deadline. */
  readonly policy?: Objection;
  /** The objection if a person permits the call. */
  readonly person?: Objection;
}

/** Result of the review of a call with complete arguments. */
export type Review =
  | {
      readonly valid: true;
      /** SHA-256 of the canonical name and arguments: what a decision is bound to (L7). */
      readonly digest: string;
      /** Revision of the permissions that it judges by. It starts no call under another one (law GATE). */
      readonly revision: number;
      readonly effect: Effect;
      /** Whether running it again changes nothing (L12). */
      readonly replayable: boolean;
      /** Text of the call's message: the descriptor, the command, the question or the result. */
      readonly text: string;
      readonly verdict: Verdict;
      /** The file that the call changes by a diff. */
      readonly patches?: string;
      /** Whether its tool requires that a person approves it, whatever is permitted. */
      readonly needsApproval?: true;
      /** Whether a message shows its result, at its position: nothing runs beside it. */
      readonly showsResult?: true;
      /** Whether the running call may ask a person for input: nothing runs beside it. */
      readonly elicits?: true;
      /** The slug of the mode that the call switches the task to. */
      readonly switchesTo?: string;
      /** The rule that allows the completion of a subtask: its ask expires at once with a yes. */
      readonly acceptedBy?: string;
      /** The id of the intent that the call selects. */
      readonly selectsIntent?: string;
      /** The largest budget of the subtask that the call starts. */
      readonly requestsBudget?: Grant;
      /** Whether the subtask that the call starts works in the background: the call has its result at once. */
      readonly inBackground?: true;
      /** The files of the subtask that the call starts. Absent: the files of the task. */
      readonly isolates?: IsolatedFiles;
      /** The order of the call about subtasks in the background. */
      readonly ordersSubtasks?: SubtaskOrder;
      /** The change of the task's wake-ups that the call makes. */
      readonly changesWakeUps?: WakeUpChange;
      /** The finding about the intent, in a workspace with intents. Absent: the call has no effect. */
      readonly intent?: IntentFinding;
      /** The facts for the person who is asked about the call. */
      readonly facts?: CallFacts;
      /** The version of the file that the call changes, if a person is asked about it. */
      readonly base?: string;
      /** The message about the amendment, if the call was amended. */
      readonly edit?: Edit;
      /** Present in the last review before a start, in a task with policies over time. */
      readonly start?: StartJudgement;
    }
  /**
   * Unknown tool, invalid arguments, or a path that no tool may use. The model gets `error`. `patches`: the file to which
   * a diff can't be applied. `ignored`: the path that `.rooignore` denies. `text`: the text of the call's message.
   */
  | {
      readonly valid: false;
      readonly error: string;
      readonly patches?: string;
      readonly ignored?: string;
      readonly text?: string;
    };

/** The message about what a person changed of a call. */
export interface Edit {
  readonly say: "user_feedback_diff" | "user_edit_todos";
  readonly text: string;
}

/** The recorded permission for one call (L7). */
export interface Decision {
  readonly callId: string;
  /** The digest of the final arguments: the amended ones, if there is an amendment. */
  readonly digest: string;
  readonly amendment?: Amendment;
  /** The arguments that a hook set in place of the model's. */
  readonly input?: Input;
  /** `program`: it was code that answered in place of the person. */
  readonly by: { readonly person: true; readonly program?: true } | { readonly rule: string };
  readonly at: number;
}

/** Result of a call, as the model gets it. */
export interface Outcome {
  readonly kind: "done" | "failed" | "invalid" | "denied" | "skipped" | "interrupted" | "uncertain";
  readonly content: readonly (TextBlock | ImageBlock)[];
  /** The files that the call changed, in order. Absent: none, or the workspace has no ledger. */
  readonly writes?: readonly FileWrite[];
  /** The names of the hooks that replaced the content, in their order. Absent: none did. */
  readonly replacedBy?: readonly string[];
  /** The content that hooks replaced, if all of them keep it. For the journal alone: the model never gets it. */
  readonly original?: readonly (TextBlock | ImageBlock)[];
}

/** Text and images that come with an answer. Images are data URLs. */
export interface Feedback {
  readonly text: string;
  readonly images: readonly string[];
}

/**
 * Result of a subtask. `rest`: what it returns of its grant. Otherwise it keeps it. `deleted`: its journal was deleted before
 * its parent had the outcome.
 */
export type SubtaskOutcome =
  | { readonly kind: "finished"; readonly result: string; readonly rest?: Grant }
  | { readonly kind: "cancelled" }
  | { readonly kind: "deleted" }
  | { readonly kind: "failed"; readonly message: string; readonly rest?: Grant };

/** A message about a call that failed, was refused or skipped, or that found something. */
export interface Notice {
  /**
   * `diff_error`: a diff could not be applied. `rooignore_error`: the text is the path that `.rooignore` denies.
   * `codebase_search_result`: the text is JSON with what an index found. `mcp_server_response`: the result. `hook`: a hook
   * decided it.
   */
  readonly say:
    | "error"
    | "diff_error"
    | "rooignore_error"
    | "codebase_search_result"
    | "mcp_server_response"
    | "hook";
  readonly text: string;
  /** Data URLs. */
  readonly images?: readonly string[];
  /** The source of the denial, if the call was denied. */
  readonly denial?: Denial;
}

/** Fields that a call keeps in every phase. */
export interface CallIdentity {
  /** Unique in the task: the request's id and the model's id of the call. */
  readonly callId: string;
  /** The model's id, which pairs result and call. */
  readonly toolUseId: string;
  /** The canonical name. */
  readonly name: string;
  readonly ask: CallAsk;
  /** The `ts` of its message, once it is appended. */
  readonly row?: number;
  /** Set if the trusted model wrote it. */
  readonly author?: "trusted";
}

export type Input = Readonly<Record<string, unknown>>;
export type ValidReview = Extract<Review, { valid: true }>;

/** The decision of hooks about the arguments of a call. */
export interface Hooked {
  /** The digest of the arguments that they saw: their decision is about no others. */
  readonly digest: string;
  /** The hook that replaced the arguments. Only one may, once. */
  readonly amendedBy?: string;
  /** The reason why a person must be asked, as a clause. */
  readonly asks?: string;
  /** Whether the ask is an audit, whose "no" ends the task. */
  readonly audits?: true;
}

/** The arguments of a call: what the model sent or a hook set, and what a person changed of it. */
export interface Arguments {
  readonly input: Input;
  readonly amendment?: Amendment;
  /** The newest decision of hooks. */
  readonly hooked?: Hooked;
  /** Whether a person was asked about it and gave no answer. It starts only with an answer, whatever is permitted later. */
  readonly asked?: true;
}

/** The approval of a call. */
export interface Approval {
  readonly row: number;
  readonly decision: Decision;
  readonly feedback?: Feedback;
}

/** One call of one turn: a variant per phase. */
export type ToolCall = CallIdentity &
  (
    | {
        /** Its arguments stream. `preview` is the text of its partial message. */ readonly phase: "planned";
        readonly preview: string;
      }
    | (Arguments & {
        /** Under review. */ readonly phase: "deciding";
        readonly preview: string;
        /** The digest of an earlier review, under other permissions. */
        readonly digest?: string;
      })
    | (Arguments & {
        /** Reviewed; waits for its turn. */ readonly phase: "decided";
        readonly review: ValidReview;
        /** Set within the macrostep that judged it: it is asked about, or starts. */
        readonly judged?: StartJudgement;
      })
    | (Arguments & {
        /** Hooks decide about it. `approval`: of a person, who amended it. */ readonly phase: "hooking";
        readonly review: ValidReview;
        readonly approval?: Approval;
      })
    | (Arguments & {
        /** Policies over time judge it, before it is asked about and again before it starts. Nothing runs beside it. */
        readonly phase: "judging";
        readonly review: ValidReview;
        readonly approval?: Approval;
      })
    | (Arguments & {
        /** A person is asked by the message `row`. */
        readonly phase: "asking";
        readonly row: number;
        readonly review: ValidReview;
      })
    | (Arguments & {
        /** Approved with an amendment, and under review once more. `review` is the review of the ask. */
        readonly phase: "amending";
        readonly row: number;
        readonly review: ValidReview;
        readonly amendment: Amendment;
        readonly decision: Decision;
        readonly feedback?: Feedback;
      })
    | (Arguments & {
        /** Permitted; starts when no earlier call runs. */
        readonly phase: "approved";
        readonly row: number;
        readonly review: ValidReview;
        readonly decision: Decision;
        readonly feedback?: Feedback;
        /** Set within the macrostep that judged it, in which it starts. */
        readonly judged?: StartJudgement;
      })
    | (Arguments & {
        readonly phase: "running";
        readonly row: number;
        readonly review: ValidReview;
        readonly decision: Decision;
        readonly feedback?: Feedback;
        readonly facts?: StartFacts;
      })
    | {
        /** Stopped while it ran: the result is known when the next request is prepared (L10, L12). */
        readonly phase: "stopped";
        readonly replayable: boolean;
        readonly feedback?: Feedback;
      }
    | {
        /** A subtask executes it. `end`: the result that the child's journal holds when the task is opened (L16). */
        readonly phase: "delegated";
        readonly input: Input;
        readonly childId: string;
        /** The amounts that the subtask may spend. */
        readonly grant?: Grant;
        /** The files of the subtask. Absent: the files of the task. */
        readonly isolation?: IsolatedFiles;
        readonly feedback?: Feedback;
        readonly facts?: StartFacts;
        /** The reason why the subtask does not work now. */
        readonly rests?: "paused" | "unavailable";
        readonly end?: SubtaskOutcome;
      }
    | {
        /** It ended, and hooks see its result. `unseen`: the result if they do not finish. */
        readonly phase: "ended";
        readonly outcome: Outcome;
        readonly unseen: Outcome;
        /** The files that it changed. They are recorded with its end, whatever the hooks decide. */
        readonly writes?: readonly FileWrite[];
        readonly notice?: Notice;
        /** Goes with the result, whatever the hooks make of it. They don't see it. */
        readonly feedback?: Feedback;
      }
    | {
        readonly phase: "settled";
        readonly outcome: Outcome;
        /** For the user: appended when the call's position in the response is reached. */
        readonly notice?: Notice;
      }
  );

export type Phase = ToolCall["phase"];
export type CallIn<P extends Phase> = Extract<ToolCall, { phase: P }>;

/** The part of a call that a journal holds once its response is complete: enough to settle it after a crash (L12). */
export type RecordedCall = CallIdentity &
  (
    | { readonly phase: "asking" }
    | {
        readonly phase: "running" | "stopped";
        readonly replayable: boolean;
        readonly feedback?: Feedback;
        /** Present in a running call of a task with policies over time. */
        readonly facts?: StartFacts;
        /** The recorded result, if there is one. */
        readonly end?: Outcome["content"] | "uncertain";
      }
    | {
        readonly phase: "delegated";
        readonly input: Input;
        readonly childId: string;
        readonly grant?: Grant;
        readonly isolation?: IsolatedFiles;
        readonly feedback?: Feedback;
        /** In a task with policies over time. */
        readonly facts?: StartFacts;
      }
    /** It ended, and hooks have not seen its result. `outcome`: without the result, for a process that ends before they have. */
    | { readonly phase: "ended"; readonly outcome: Outcome; readonly feedback?: Feedback }
    | { readonly phase: "settled"; readonly outcome: Outcome }
  );
