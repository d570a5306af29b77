import type { ChatModel } from "../../actors/index.ts";
import type { Effort } from "../../adapters/index.ts";
import type { Policy } from "../../tools/index.ts";

/** What a run was asked to be. */
export interface RunSettings {
  /** What the task is, or what is said to one that goes on; undefined where a person is asked for it. */
  readonly prompt: string | undefined;
  readonly session: Session;
  /** Undefined: that of the task that goes on. */
  readonly workspace: string | undefined;
  readonly front: "terminal" | "text" | "json" | "stream-json";
  /**
   * Who answers where text is printed: nobody; whoever is at the input; or a rule where nobody is, which leaves them a
   * minute for a question of the model.
   */
  readonly answers: "nobody" | "person" | "rule";
  /** Commands come on the input, one a line: no prompt is given. */
  readonly stdinStream: boolean;
  /** The process stays after its end, until a signal. */
  readonly signalOnlyExit: boolean;
  /** Whether the messages of the agent are written beside the events. */
  readonly withMessages: boolean;
  /** The slug of the mode that a new task begins in; undefined for the usual one. */
  readonly mode: string | undefined;
  readonly policy: Policy;
  readonly provider: Provider;
  /** The model's name. */
  readonly model: string;
  /** Where the journals lie. */
  readonly dataDir: string;
  readonly isEphemeral: boolean;
  /** Whether the workspace is snapshotted before a turn's first effect. */
  readonly checkpoints: boolean;
  readonly oneshot: boolean;
  readonly exitOnError: boolean;
  /** Mistakes in a row until a person is asked; 0 is never. */
  readonly mistakes: number | undefined;
  readonly debug: boolean;
  /** What no log may hold. */
  readonly secrets: readonly string[];
}

/** What a run works with. */
export interface RunMeans {
  /** Where the journals lie. */
  readonly dataDir: string;
  readonly model: ChatModel;
  /** The id of the task that goes on. */
  readonly resumed: string | undefined;
}

/** Which task is run: a new one, perhaps under this id; the one whose id begins so; or the workspace's newest. */
export type Session =
  | { readonly kind: "new"; readonly id: string | undefined }
  | { readonly kind: "given"; readonly id: string }
  | { readonly kind: "newest" };

/** Where answers come from. */
export type Provider =
  | {
      readonly kind: "anthropic";
      readonly apiKey: string | undefined;
      readonly baseURL: string | undefined;
      /** How much the model thinks; undefined leaves it to the model. */
      readonly effort: Effort | undefined;
    }
  | { readonly kind: "mock"; readonly script: string | undefined };

/** Ends the run with this code. The first one counts. */
export type Leave = (code: number) => void;
